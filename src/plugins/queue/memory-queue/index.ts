import { z } from 'zod';
import { enumOption, integerOption, sizeOption } from '../../../core/options.js';
import type { QueueDefinition } from '../../../core/pipe/index.js';
import { MAX_PARTITIONS, WHEN_FULL } from '../../../core/queue.js';
import { MemoryQueue } from './queue.js';

const schema = z.object({
  event_buffer_size: integerOption({
    default: 5000,
    min: 1,
    doc: 'Most events that wait in one partition.',
  }),
  partition: integerOption({
    default: 1,
    min: 1,
    max: MAX_PARTITIONS,
    doc: 'Number of partitions. Together they bound what waits; kinds whose order matters send one batch a partition at a time.',
  }),
  max_bytes: sizeOption({
    default: 0,
    min: 0,
    ours: true,
    doc: 'Most bytes that wait in all partitions together; one event always fits. 0: the memory budget of the process alone is the bound.',
  }),
  when_full: enumOption(WHEN_FULL, {
    default: 'drop_newest',
    ours: true,
    doc: 'What happens to an event that finds no room: it is dropped, or the oldest is, each counted; or block holds its source back by flow control.',
  }),
});

export const memoryQueue: QueueDefinition<z.infer<typeof schema>> = {
  kind: 'queue',
  name: 'memory-queue',
  title: 'Queue in memory',
  description:
    'Keeps events in memory until a backend has acknowledged them. Fast, bounded by events and bytes, and empty after a restart: a shutdown sends what it can and counts the rest as dropped.',
  stability: 'stable',
  schema,
  create: (config) =>
    new MemoryQueue({
      partitions: config.partition,
      eventsPerPartition: config.event_buffer_size,
      maxBytes: config.max_bytes,
      whenFull: config.when_full,
    }),
};
