/**
 * Role: keeps a pipe's events on disk, through crashes and long outages, under the name and options of the original's.
 * Neighbours: the pipe above (core/queue contract); the file system below, through fs.ts alone.
 * Entry points: mmapQueue (the plugin), inspectQueue (for `satellite queue inspect`).
 * Invariants: what is not settled comes again; nothing damaged is delivered; no foreign file is touched.
 * Spec: layout.ts, docs/operations/disk-queue.md.
 */
import type { QueueDefinition } from '../../../core/pipe/index.js';
import { createSettings, diskQueueSchema } from './config.js';
import type { DiskQueueConfig } from './config.js';
import { nodeFiles } from './fs.js';
import { DiskQueueMetrics } from './metrics.js';
import { DiskQueue } from './queue.js';

export { DISK_QUEUE_ERRORS } from './errors.js';
export { inspectQueue } from './inspect.js';
export type { PartitionReport } from './inspect.js';
export { DISK_QUEUE_METRICS } from './metrics.js';

export const mmapQueue: QueueDefinition<DiskQueueConfig> = {
  kind: 'queue',
  name: 'mmap-queue',
  title: 'Queue on disk',
  description:
    'Keeps events in files until a backend has acknowledged them: a crash or a restart loses nothing that was written, and an outage may last as long as there is space. The name is the original’s; files are written and read, not mapped, and those of the original are refused. One process, one directory.',
  stability: 'stable',
  schema: diskQueueSchema,
  create: (config, { clock, random, budget, log, metrics, pipeName }) =>
    new DiskQueue({
      settings: createSettings(config, pipeName),
      files: nodeFiles,
      clock,
      random,
      budget,
      log,
      metrics: new DiskQueueMetrics(pipeName, metrics),
    }),
};
