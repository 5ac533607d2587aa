/** Options of the disk queue: those of the original keep their names, and mean the same where that makes sense. */
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { durationOption, enumOption, integerOption, sizeOption, stringOption } from '../../../core/options.js';
import { MAX_PARTITIONS, WHEN_FULL } from '../../../core/queue.js';
import { HEADER_BYTES, SEAL_BYTES } from './layout.js';
import { FSYNC, ORDER } from './settings.js';
import type { DiskQueueSettings } from './settings.js';

const DEFAULT_DIRECTORY = 'satellite-queue';
/** The original never keeps fewer in memory. */
const MIN_IN_MEMORY_SEGMENTS = 4;
/** Smaller files would be more frame than content. */
const MIN_SEGMENT_BYTES = 4096;
/**
 * To make and delete a file costs as much as to write 1 MiB (0.5 ms, ext4), so small segments share files of this size,
 * unless the capacity would be too few files to give space back in small steps.
 */
const GOOD_FILE_BYTES = 4 * 1024 * 1024;
const GOOD_FILE_COUNT = 16;

const shape = z.object({
  directory: stringOption({
    default: '',
    ours: true,
    doc: `Directory of the queues; each pipe has a directory of its name in it, and no two processes may share that. Empty: queue_dir, or else ${DEFAULT_DIRECTORY} in the working directory.`,
  }),
  queue_dir: stringOption({
    default: '',
    doc: 'The same under another name, for files that have it.',
  }),
  partition: integerOption({
    default: 1,
    min: 1,
    max: MAX_PARTITIONS,
    doc: 'Number of partitions, each with a directory and an equal share of the capacity. It may change between starts: what waits is delivered all the same.',
  }),
  segment_size: sizeOption({
    default: 262114,
    min: MIN_SEGMENT_BYTES,
    doc: 'Unit of the two options below, and least size of a file. Small segments share files of up to 4 MiB, or a 16th of the capacity; space comes back file by file. A larger event has a file of its own.',
  }),
  max_in_mem_segments: integerOption({
    default: 10,
    min: 0,
    doc: `What may stay in memory of one partition, in segments; the rest is read again when its turn comes. Less than ${MIN_IN_MEMORY_SEGMENTS} means ${MIN_IN_MEMORY_SEGMENTS}.`,
  }),
  queue_capacity_segments: integerOption({
    default: 2000,
    min: 1,
    doc: 'Capacity in segments, of all partitions together, where `capacity` is 0.',
  }),
  flush_period: durationOption({
    unit: 'ms',
    default: 1000,
    min: 1,
    doc: 'Longest time that an event waits in memory to be written, and written to be synced. A crash loses at most that. Without effect on what is written with fsync always.',
  }),
  flush_ceiling_num: integerOption({
    default: 10000,
    min: 1,
    doc: 'Events of one partition after which they are written and synced before flush_period has passed.',
  }),
  max_event_size: sizeOption({
    default: 0,
    min: 0,
    doc: 'Largest event, with what it takes on disk beside its bytes; a larger one is dropped, counted as too_large. 0: as large as the capacity allows. One event holds up to limit_count messages of a source, so that the 20480 of the original lose most access logs.',
  }),
  capacity: sizeOption({
    default: 0,
    min: 0,
    ours: true,
    doc: 'Bytes of all files of the queue. 0: segment_size × queue_capacity_segments. Smaller than what waits: that is delivered first, then there is room.',
  }),
  max_age: durationOption({
    unit: 's',
    default: 0,
    min: 0,
    ours: true,
    doc: 'Events on disk that have waited longer are dropped, file by file, counted as expired. 0: never.',
  }),
  fsync: enumOption(FSYNC, {
    default: 'interval',
    ours: true,
    doc: 'When the disk itself has an event: always writes each at once and syncs as fast as the disk can; interval syncs with flush_period; never leaves it to the operating system. The last two survive a crash of the process but for flush_period, never may lose more in a crash of the machine.',
  }),
  order: enumOption(ORDER, {
    default: 'oldest_first',
    ours: true,
    doc: 'What leaves first after an outage: the oldest, or the newest, so that what happens now is seen at once and the backlog comes after it.',
  }),
  when_full: enumOption(WHEN_FULL, {
    default: 'drop_newest',
    ours: true,
    doc: 'What happens to an event that finds no room, or a full disk: it is dropped, or the oldest file is, each counted; or block holds its source back by flow control.',
  }),
});
export type DiskQueueConfig = z.infer<typeof shape>;

export const diskQueueSchema = shape.superRefine((config, context) => {
  const totalBytes = capacityOf(config);
  const shareBytes = Math.floor(totalBytes / config.partition);
  const frameBytes = HEADER_BYTES + SEAL_BYTES;
  const leastBytes = Math.max(config.segment_size, config.max_event_size + frameBytes);
  if (shareBytes < leastBytes) {
    const origin =
      config.capacity > 0
        ? `capacity ${config.capacity}`
        : `segment_size ${config.segment_size} × queue_capacity_segments ${config.queue_capacity_segments} = ${totalBytes}`;
    const need =
      leastBytes === config.segment_size
        ? `one segment needs ${config.segment_size}`
        : `one event of max_event_size ${config.max_event_size} needs ${leastBytes} with its file`;
    const path = [config.capacity > 0 ? 'capacity' : 'queue_capacity_segments'];
    const share = config.partition === 1 ? '' : ` / partition ${config.partition} = ${shareBytes}`;
    context.addIssue({ code: 'custom', path, message: `${origin}${share} bytes are too few: ${need}` });
  }
  if (config.directory !== '' && config.queue_dir !== '' && config.directory !== config.queue_dir) {
    context.addIssue({
      code: 'custom',
      path: ['queue_dir'],
      message: 'directory names another one; keep one of the two',
    });
  }
});

export function createSettings(config: DiskQueueConfig, pipeName: string): DiskQueueSettings {
  const base = config.directory || config.queue_dir || DEFAULT_DIRECTORY;
  const directory = isAbsolute(base) ? base : join(process.cwd(), base);
  const capacityBytes = Math.floor(capacityOf(config) / config.partition);
  const goodBytes = Math.min(GOOD_FILE_BYTES, Math.floor(capacityBytes / GOOD_FILE_COUNT));
  return {
    directory: join(directory, encodeURIComponent(pipeName)),
    partitions: config.partition,
    segmentBytes: Math.max(config.segment_size, goodBytes),
    capacityBytes,
    memoryBytes: Math.max(config.max_in_mem_segments, MIN_IN_MEMORY_SEGMENTS) * config.segment_size,
    maxEventBytes: config.max_event_size,
    maxAgeMs: config.max_age,
    flushPeriodMs: config.flush_period,
    flushEvents: config.flush_ceiling_num,
    fsync: config.fsync,
    order: config.order,
    whenFull: config.when_full,
  };
}

function capacityOf(config: DiskQueueConfig): number {
  return config.capacity > 0 ? config.capacity : config.segment_size * config.queue_capacity_segments;
}
