import type { Counter, Histogram, MetricDefinition, Metrics } from '../../../core/telemetry.js';

export const DISK_QUEUE_METRICS = {
  bytes: {
    name: 'disk_queue_bytes',
    type: 'gauge',
    help: 'Bytes of all files of a disk queue, settled events in files not yet deleted included.',
    labels: ['pipe'],
    stability: 'stable',
  },
  segments: {
    name: 'disk_queue_segments',
    type: 'gauge',
    help: 'Files of a disk queue that hold events.',
    labels: ['pipe'],
    stability: 'stable',
  },
  damaged: {
    name: 'disk_queue_damaged_regions_count',
    type: 'counter',
    help: 'Regions of a disk queue that were skipped because they are damaged.',
    labels: ['pipe'],
    stability: 'stable',
  },
  seconds: {
    name: 'disk_queue_operation_seconds',
    type: 'histogram',
    help: 'Time of an operation on files of a disk queue: write, during which the process does nothing else, or sync, in the background.',
    labels: ['pipe', 'operation'],
    stability: 'stable',
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  failures: {
    name: 'disk_queue_failures_count',
    type: 'counter',
    help: 'Operations on files of a disk queue that failed, by operation.',
    labels: ['pipe', 'operation'],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;

export type FileOperation = 'write' | 'read' | 'sync' | 'delete';

export class DiskQueueMetrics {
  readonly damaged: Counter;
  readonly writeSeconds: Histogram;
  readonly syncSeconds: Histogram;
  readonly failures: Readonly<Record<FileOperation, Counter>>;
  private readonly pipe: string;
  private readonly metrics: Metrics;

  constructor(pipe: string, metrics: Metrics) {
    this.pipe = pipe;
    this.metrics = metrics;
    this.damaged = metrics.counter(DISK_QUEUE_METRICS.damaged, { pipe });
    this.writeSeconds = metrics.histogram(DISK_QUEUE_METRICS.seconds, { pipe, operation: 'write' });
    this.syncSeconds = metrics.histogram(DISK_QUEUE_METRICS.seconds, { pipe, operation: 'sync' });
    const failures = (operation: FileOperation): Counter =>
      metrics.counter(DISK_QUEUE_METRICS.failures, { pipe, operation });
    this.failures = {
      write: failures('write'),
      read: failures('read'),
      sync: failures('sync'),
      delete: failures('delete'),
    };
  }

  /** Shows the size of an open queue. Returns what ends that. */
  watch(queue: { readonly fileBytes: number; readonly segments: number }): () => void {
    const { pipe } = this;
    const removeBytes = this.metrics.gauge(DISK_QUEUE_METRICS.bytes, { pipe }, () => queue.fileBytes);
    const removeSegments = this.metrics.gauge(DISK_QUEUE_METRICS.segments, { pipe }, () => queue.segments);
    return () => {
      removeBytes();
      removeSegments();
    };
  }
}
