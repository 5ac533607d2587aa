/** The metrics of a pipe, and their handles. The names that dashboards know are the original's. */
import { DATA_TYPES } from '../data-type.js';
import type { DataType } from '../data-type.js';
import type { Counter, Histogram, MetricDefinition, Metrics } from '../telemetry.js';

export const PIPE_METRICS = {
  gathererReceive: {
    name: 'gatherer_receive_count',
    type: 'counter',
    help: 'Events taken from the receiver (all), and those of them that the queue had no room for (abandoned).',
    labels: ['pipe', 'status'],
    stability: 'original',
  },
  queueOutput: {
    name: 'queue_output_count',
    type: 'counter',
    help: 'Events handed from the queue to the sender.',
    labels: ['pipe', 'status'],
    stability: 'original',
  },
  senderOutput: {
    name: 'sender_output_count',
    type: 'counter',
    help: 'Events delivered (success) or finally failed (failure), each counted once.',
    labels: ['pipe', 'status', 'type'],
    stability: 'original',
  },
  queueCapacity: {
    name: 'pipeline_queue_total_capacity',
    type: 'gauge',
    help: 'Capacity of all partitions of the queue, in events (memory) or bytes (disk).',
    labels: ['pipeline'],
    stability: 'original',
  },
  queueSize: {
    name: 'pipeline_queue_partition_size',
    type: 'gauge',
    help: 'What waits in a partition of the queue, in the same unit as its capacity.',
    labels: ['pipeline', 'partition'],
    stability: 'original',
  },
  queueBytes: {
    name: 'queue_pending_bytes',
    type: 'gauge',
    help: 'Bytes of the events that wait in the queue, identities included.',
    labels: ['pipe'],
    stability: 'stable',
  },
  queueAge: {
    name: 'queue_oldest_age_seconds',
    type: 'gauge',
    help: 'Age of the oldest data in the queue or on its way to a backend; 0 without any.',
    labels: ['pipe'],
    stability: 'stable',
  },
  state: {
    name: 'pipe_state',
    type: 'gauge',
    help: 'What the pipe does: 0 made, 1 running, 2 degraded (a plugin threw, and nothing was delivered since), 3 draining, 4 closed.',
    labels: ['pipe'],
    stability: 'stable',
  },
  inFlight: {
    name: 'sender_in_flight_batches',
    type: 'gauge',
    help: 'Batches on their way or waiting for another try.',
    labels: ['pipe'],
    stability: 'stable',
  },
  retries: {
    name: 'sender_retry_count',
    type: 'counter',
    help: 'Batches sent again, by what went wrong: an endpoint failed, refused the method or token, or found fault with the data.',
    labels: ['pipe', 'cause'],
    stability: 'stable',
  },
  duplicates: {
    name: 'sender_possible_duplicate_entries_count',
    type: 'counter',
    help: 'Entries sent again although the endpoint that failed may have processed them.',
    labels: ['pipe'],
    stability: 'stable',
  },
  paused: {
    name: 'gatherer_pause_count',
    type: 'counter',
    help: 'Times that a source was paused because the queue or the memory budget was full and when_full is block.',
    labels: ['pipe'],
    stability: 'stable',
  },
  latency: {
    name: 'pipe_delivery_latency_seconds',
    type: 'histogram',
    help: 'Time from the arrival of the first message of an event to its acknowledgement by the backend.',
    labels: ['pipe'],
    stability: 'stable',
    buckets: [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 60, 300],
  },
  relays: {
    name: 'relay_output_count',
    type: 'counter',
    help: 'Synchronous calls passed on: answered OK (success), or with another status or none (failure).',
    labels: ['pipe', 'status'],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Why a batch is sent again. */
export type RetryCause = 'endpoint' | 'method' | 'token' | 'data' | 'fallback';

export class PipeMetrics {
  readonly received: Counter;
  readonly abandoned: Counter;
  readonly queueOutput: Counter;
  readonly delivered: Counter;
  readonly failed: Counter;
  readonly retries: Readonly<Record<RetryCause, Counter>>;
  readonly duplicates: Counter;
  readonly paused: Counter;
  readonly latency: Histogram;
  readonly relaysAnswered: Counter;
  readonly relaysFailed: Counter;

  constructor(pipe: string, dataType: DataType, metrics: Metrics) {
    const type = DATA_TYPES[dataType];
    this.received = metrics.counter(PIPE_METRICS.gathererReceive, { pipe, status: 'all' });
    this.abandoned = metrics.counter(PIPE_METRICS.gathererReceive, { pipe, status: 'abandoned' });
    this.queueOutput = metrics.counter(PIPE_METRICS.queueOutput, { pipe, status: 'success' });
    this.delivered = metrics.counter(PIPE_METRICS.senderOutput, { pipe, status: 'success', type });
    this.failed = metrics.counter(PIPE_METRICS.senderOutput, { pipe, status: 'failure', type });
    const retries = (cause: RetryCause): Counter => metrics.counter(PIPE_METRICS.retries, { pipe, cause });
    this.retries = {
      endpoint: retries('endpoint'),
      method: retries('method'),
      token: retries('token'),
      data: retries('data'),
      fallback: retries('fallback'),
    };
    this.duplicates = metrics.counter(PIPE_METRICS.duplicates, { pipe });
    this.paused = metrics.counter(PIPE_METRICS.paused, { pipe });
    this.latency = metrics.histogram(PIPE_METRICS.latency, { pipe });
    this.relaysAnswered = metrics.counter(PIPE_METRICS.relays, { pipe, status: 'success' });
    this.relaysFailed = metrics.counter(PIPE_METRICS.relays, { pipe, status: 'failure' });
  }
}
