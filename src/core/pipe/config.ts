/**
 * Options of a pipe's sender, and of the windows that queued receivers share. Declared once; names and defaults are the
 * original's where it has them.
 */
import { z } from 'zod';
import { booleanOption, durationOption, enumOption, groupOption, integerOption, sizeOption } from '../options.js';
import { ACK_LEVELS } from './ack.js';
import type { AckLevel } from './ack.js';
import type { WindowSettings } from './contract.js';

const DEFAULT_FLUSH_TIME_MS = 1000;
const DEFAULT_MAX_BUFFER_SIZE = 200;
/**
 * With the default batch 4 MiB on their way to each backend: one that takes half a second to answer still takes 8 MiB/s,
 * and calls on one connection stay within what old OAPs allow.
 */
const BATCHES_PER_ENDPOINT = 4;

const retryOption = groupOption({
  enabled: booleanOption({
    default: true,
    ours: true,
    doc: 'Send a batch again when a backend was unreachable or refused it for its own reasons. Off: the first failure is final.',
  }),
  initial_interval: durationOption({
    unit: 'ms',
    default: 500,
    min: 1,
    ours: true,
    doc: 'First pause after every backend has failed a batch; the other backends are tried at once before. Doubles with each round, with jitter.',
  }),
  max_interval: durationOption({
    unit: 'ms',
    default: '5s',
    min: 1,
    ours: true,
    doc: 'Longest pause between two rounds.',
  }),
  max_elapsed: durationOption({
    unit: 'ms',
    default: 0,
    min: 0,
    ours: true,
    doc: 'Time after which a batch that keeps failing is given up. 0: never; then the queue fills and its when_full decides.',
  }),
});

/** The `sender` section of a pipe without its plugins. */
export const senderSchema = z.object({
  flush_time: durationOption({
    unit: 'ms',
    default: DEFAULT_FLUSH_TIME_MS,
    doc: 'Longest wait of an event for its batch to fill. 0 or less means 1000.',
  }),
  max_buffer_size: integerOption({
    default: DEFAULT_MAX_BUFFER_SIZE,
    doc: 'Most events in one batch. 0 or less means 200.',
  }),
  min_flush_events: integerOption({
    default: 1,
    min: 0,
    doc: 'A batch with fewer events than this waits for flush_time even when no other batch is on its way.',
  }),
  max_batch_bytes: sizeOption({
    default: '1MiB',
    min: 1,
    ours: true,
    doc: 'Most bytes in one batch; an event that is larger travels alone. Smaller batches spread load more evenly.',
  }),
  linger: durationOption({
    unit: 'ms',
    default: 20,
    min: 0,
    ours: true,
    doc: 'Wait of a partial batch while no other is on its way. Larger: fewer, fuller calls; smaller: less latency.',
  }),
  max_in_flight: integerOption({
    default: 0,
    min: 0,
    ours: true,
    doc: 'Most batches on their way at once. 0: 4 for each backend known, and no fewer than the number of partitions. Kinds whose order matters send one batch a partition.',
  }),
  stall_timeout: durationOption({
    unit: 'ms',
    default: '10s',
    min: 1,
    ours: true,
    doc: 'A batch goes elsewhere when it has unsent bytes and its connection has made no progress for this time.',
  }),
  retry: retryOption,
});
export type SenderConfig = z.infer<typeof senderSchema>;

/** The sender's configuration as the run time uses it. */
export interface SenderSettings {
  readonly flushTimeMs: number;
  readonly maxEvents: number;
  readonly minFlushEvents: number;
  readonly maxBatchBytes: number;
  readonly lingerMs: number;
  /** 0: by the number of backends, see `maxInFlightFor`. */
  readonly maxInFlight: number;
  /** Least that 0 comes to. */
  readonly minInFlight: number;
  readonly stallTimeoutMs: number;
  readonly retry: {
    readonly isEnabled: boolean;
    readonly initialMs: number;
    readonly maxMs: number;
    readonly maxElapsedMs: number;
  };
}

/** Most batches of an unordered pipe on their way at once, with `endpoints` backends known. */
export function maxInFlightFor(settings: SenderSettings, endpoints: number): number {
  return settings.maxInFlight > 0
    ? settings.maxInFlight
    : Math.max(settings.minInFlight, endpoints * BATCHES_PER_ENDPOINT);
}

export function createSenderSettings(config: SenderConfig, partitions: number): SenderSettings {
  return {
    flushTimeMs: config.flush_time > 0 ? config.flush_time : DEFAULT_FLUSH_TIME_MS,
    maxEvents: config.max_buffer_size > 0 ? config.max_buffer_size : DEFAULT_MAX_BUFFER_SIZE,
    minFlushEvents: config.min_flush_events,
    maxBatchBytes: config.max_batch_bytes,
    lingerMs: config.linger,
    maxInFlight: config.max_in_flight,
    minInFlight: Math.max(BATCHES_PER_ENDPOINT, partitions),
    stallTimeoutMs: config.stall_timeout,
    retry: {
      isEnabled: config.retry.enabled,
      initialMs: config.retry.initial_interval,
      maxMs: config.retry.max_interval,
      maxElapsedMs: config.retry.max_elapsed,
    },
  };
}

/** Options of every receiver that gathers a stream's messages in windows. */
export const windowOptions = {
  flush_time: durationOption({
    unit: 'ms',
    default: 1000,
    min: 0,
    doc: 'Longest wait of a message for its window to fill. On average a message waits half of it, less under load. 0: no wait.',
  }),
  ack: enumOption(ACK_LEVELS, {
    default: 'received',
    ours: true,
    doc: 'What the OK of a call waits for: received, nothing; queued, the queue has taken all of it (one on disk: as its fsync says); delivered, a backend has answered OK (one on disk: as queued). Beyond received, a call that brought more than 2 MiB not yet acknowledged is held back, and one that lost data is answered UNAVAILABLE.',
  }),
  limit_count: integerOption({
    default: 500,
    min: 1,
    doc: 'Most messages in one window.',
  }),
  limit_bytes: sizeOption({
    default: '512KiB',
    min: 1,
    ours: true,
    doc: 'Most bytes in one window; a message that is larger makes one of its own.',
  }),
  windows_bytes: sizeOption({
    default: '8MiB',
    min: 1,
    ours: true,
    doc: 'Bytes in all windows of this receiver above which the oldest close early. Smaller: less memory; larger: identities repeat less often.',
  }),
};

export interface WindowConfig {
  readonly flush_time: number;
  readonly ack: AckLevel;
  readonly limit_count: number;
  readonly limit_bytes: number;
  readonly windows_bytes: number;
}

export function createWindowSettings(config: WindowConfig): WindowSettings {
  return {
    flushTimeMs: config.flush_time,
    ack: config.ack,
    limitCount: config.limit_count,
    limitBytes: config.limit_bytes,
    totalBytes: config.windows_bytes,
  };
}
