/** The Prometheus text of a registry: prom-client renders, and adds what it knows about the process. */
import { Registry, collectDefaultMetrics } from 'prom-client';
import type { Metric } from 'prom-client';
import type { Labels } from '../../core/telemetry.js';
import type { FamilySnapshot, MetricsRegistry, Sample } from './metrics-registry.js';

/** Text format 0.0.4, the only one offered, as by the original. */
export const EXPOSITION_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Left out of prom-client's process metrics: lists of every handle or request (a scrape would walk thousands of sockets),
 * and the lag percentiles, whose monitor wakes the process a hundred times a second.
 */
const UNWANTED = /^nodejs_(active_|eventloop_lag_(min|max|mean|stddev|p\d+)_)/;

/** One tick an hour: the lag monitor cannot be left out, so it is put to sleep. */
const LAG_MONITOR_RESOLUTION_MS = 3_600_000;

/** What prom-client's registry asks of a metric. */
interface RenderedMetric {
  readonly name: string;
  get(): Promise<{ name: string; help: string; type: string; values: readonly Sample[] }>;
}

/** Renders one registry, and optionally the process's own metrics with the same constant labels. */
export class Exposition {
  private readonly registry: MetricsRegistry;
  private readonly processMetrics: Registry | null;

  constructor(registry: MetricsRegistry, options: { readonly withProcessMetrics: boolean }) {
    this.registry = registry;
    this.processMetrics = options.withProcessMetrics ? createProcessMetrics(registry) : null;
  }

  /** The text as of the moment of the call; rendering happens after all values have been read. */
  async text(): Promise<string> {
    const rendered = new Registry();
    for (const family of this.registry.snapshot()) register(rendered, fromSnapshot(family));
    if (this.processMetrics === null) return rendered.metrics();
    return Registry.merge([rendered, this.processMetrics]).metrics();
  }
}

function fromSnapshot(family: FamilySnapshot): RenderedMetric {
  const { name, help, type } = family.definition;
  return { name, get: () => Promise.resolve({ name, help, type, values: family.samples }) };
}

/** prom-client's own collectors (`process_*`, `nodejs_*`), relabelled so that their labels are sorted too. */
function createProcessMetrics(registry: MetricsRegistry): Registry {
  const collected = new Registry();
  collectDefaultMetrics({ register: collected, eventLoopMonitoringPrecision: LAG_MONITOR_RESOLUTION_MS });
  const relabelled = new Registry();
  for (const metric of collected.getMetricsAsArray() as unknown as RenderedMetric[]) {
    if (UNWANTED.test(metric.name)) continue;
    register(relabelled, {
      name: metric.name,
      get: async () => {
        const current = await metric.get();
        return { ...current, values: current.values.map((sample) => relabel(registry, sample)) };
      },
    });
  }
  return relabelled;
}

function relabel(registry: MetricsRegistry, sample: Sample): Sample {
  const labels: Labels = registry.shownLabels(sample.labels);
  return { ...sample, labels };
}

function register(target: Registry, metric: RenderedMetric): void {
  target.registerMetric(metric as unknown as Metric);
}
