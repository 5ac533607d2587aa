/** Metrics of endpoints. All carry the label `endpoint` and leave with their endpoint. */
import type { Counter, Histogram, MetricDefinition, Metrics } from '../telemetry.js';
import { OUTCOME } from '../channel.js';
import type { Outcome } from '../channel.js';

const LABELS = ['endpoint'];

export const ENDPOINT_METRICS = {
  state: {
    name: 'satellite_endpoint_state',
    type: 'gauge',
    help: 'State of the endpoint: 0 idle, 1 connecting, 2 ready, 3 backoff, 4 ejected, 5 draining.',
    labels: LABELS,
    stability: 'stable',
  },
  connections: {
    name: 'satellite_endpoint_connections',
    type: 'gauge',
    help: 'Connections that take calls.',
    labels: LABELS,
    stability: 'stable',
  },
  inFlightBytes: {
    name: 'satellite_endpoint_in_flight_bytes',
    type: 'gauge',
    help: 'Bytes of batches sent to the endpoint and not answered yet.',
    labels: LABELS,
    stability: 'stable',
  },
  inFlightBatches: {
    name: 'satellite_endpoint_in_flight_batches',
    type: 'gauge',
    help: 'Batches sent to the endpoint and not answered yet.',
    labels: LABELS,
    stability: 'stable',
  },
  share: {
    name: 'satellite_endpoint_share_ratio',
    type: 'gauge',
    help: 'Part of all bytes of the recent past (half-life 10 s) that this endpoint was given.',
    labels: LABELS,
    stability: 'stable',
  },
  timePerByte: {
    name: 'satellite_endpoint_seconds_per_megabyte',
    type: 'gauge',
    help: 'Recent call time per 1,000,000 bytes of calls that ended OK, each call counting 16 KiB more; 0 when unknown.',
    labels: LABELS,
    stability: 'experimental',
  },
  batches: {
    name: 'satellite_endpoint_batches_total',
    type: 'counter',
    help: 'Batches by outcome: ok, failed (the endpoint is at fault; it is tried elsewhere), neutral (refused data, or given up by us).',
    labels: ['endpoint', 'outcome'],
    stability: 'stable',
  },
  bytes: {
    name: 'satellite_endpoint_bytes_total',
    type: 'counter',
    help: 'Bytes of batches that ended OK.',
    labels: LABELS,
    stability: 'stable',
  },
  entries: {
    name: 'satellite_endpoint_entries_total',
    type: 'counter',
    help: 'Entries of batches that ended OK.',
    labels: LABELS,
    stability: 'stable',
  },
  callSeconds: {
    name: 'satellite_endpoint_call_seconds',
    type: 'histogram',
    help: 'Time from giving a batch to the endpoint to its OK.',
    labels: LABELS,
    stability: 'stable',
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  relays: {
    name: 'satellite_endpoint_relays_total',
    type: 'counter',
    help: 'Synchronous calls relayed to the endpoint.',
    labels: LABELS,
    stability: 'stable',
  },
  ejections: {
    name: 'satellite_endpoint_ejections_total',
    type: 'counter',
    help: 'Times the endpoint was taken out because its batches failed, failed probes included.',
    labels: LABELS,
    stability: 'stable',
  },
  probes: {
    name: 'satellite_endpoint_probes_total',
    type: 'counter',
    help: 'Batches sent to an ejected endpoint to see whether it has recovered.',
    labels: LABELS,
    stability: 'stable',
  },
  connectionFailures: {
    name: 'satellite_endpoint_connection_failures_total',
    type: 'counter',
    help: 'Attempts to connect that failed, and connections that ended in disorder.',
    labels: LABELS,
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Gauges are read from this at scrape time. */
export interface EndpointGauges {
  readonly state: () => number;
  readonly connections: () => number;
  readonly inFlightBytes: () => number;
  readonly inFlightBatches: () => number;
  readonly share: () => number;
  readonly timePerByte: () => number;
}

/** The handles of one endpoint's series, made when it appears. */
export class EndpointMetrics {
  readonly bytes: Counter;
  readonly entries: Counter;
  readonly callSeconds: Histogram;
  readonly relays: Counter;
  readonly ejections: Counter;
  readonly probes: Counter;
  readonly connectionFailures: Counter;
  private readonly ok: Counter;
  private readonly failed: Counter;
  private readonly neutral: Counter;
  private readonly metrics: Metrics;
  private readonly endpoint: string;

  constructor(metrics: Metrics, endpoint: string, gauges: EndpointGauges) {
    this.metrics = metrics;
    this.endpoint = endpoint;
    const labels = { endpoint };
    this.bytes = metrics.counter(ENDPOINT_METRICS.bytes, labels);
    this.entries = metrics.counter(ENDPOINT_METRICS.entries, labels);
    this.callSeconds = metrics.histogram(ENDPOINT_METRICS.callSeconds, labels);
    this.relays = metrics.counter(ENDPOINT_METRICS.relays, labels);
    this.ejections = metrics.counter(ENDPOINT_METRICS.ejections, labels);
    this.probes = metrics.counter(ENDPOINT_METRICS.probes, labels);
    this.connectionFailures = metrics.counter(ENDPOINT_METRICS.connectionFailures, labels);
    this.ok = metrics.counter(ENDPOINT_METRICS.batches, { endpoint, outcome: 'ok' });
    this.failed = metrics.counter(ENDPOINT_METRICS.batches, { endpoint, outcome: 'failed' });
    this.neutral = metrics.counter(ENDPOINT_METRICS.batches, { endpoint, outcome: 'neutral' });
    for (const [name, read] of Object.entries(gauges) as [keyof EndpointGauges, () => number][]) {
      metrics.gauge(ENDPOINT_METRICS[name], labels, read);
    }
  }

  countBatch(outcome: Outcome): void {
    if (outcome === OUTCOME.ok) this.ok.value++;
    else if (outcome === OUTCOME.endpointFailed) this.failed.value++;
    else this.neutral.value++;
  }

  /** Takes all series of the endpoint away. */
  forget(): void {
    this.metrics.forget({ endpoint: this.endpoint });
  }
}
