import type { Counter, MetricDefinition, Metrics } from '../../../core/telemetry.js';

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
  readonly failures: Readonly<Record<FileOperation, Counter>>;
  private readonly pipe: string;
  private readonly metrics: Metrics;

  constructor(pipe: string, metrics: Metrics) {
    this.pipe = pipe;
    this.metrics = metrics;
    this.damaged = metrics.counter(DISK_QUEUE_METRICS.damaged, { pipe });
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
