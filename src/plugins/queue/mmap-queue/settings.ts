/** What the parts of the queue share. */
import type { BlockPool, Clock, Random } from '../../../base/index.js';
import type { MemoryBudget } from '../../../core/budget.js';
import type { QueueOwner, WhenFull } from '../../../core/queue.js';
import type { Log } from '../../../core/telemetry.js';
import type { QueueFiles } from './fs.js';
import type { DiskQueueMetrics } from './metrics.js';

export const FSYNC = ['always', 'interval', 'never'] as const;
export type Fsync = (typeof FSYNC)[number];

export const ORDER = ['oldest_first', 'newest_first'] as const;
export type Order = (typeof ORDER)[number];

export interface DiskQueueSettings {
  /** Of this pipe. */
  readonly directory: string;
  readonly partitions: number;
  readonly segmentBytes: number;
  /** Of one partition. */
  readonly capacityBytes: number;
  /** Of the events of one partition that stay in memory. */
  readonly memoryBytes: number;
  /** 0: no bound but the capacity. */
  readonly maxEventBytes: number;
  /** 0: for ever. */
  readonly maxAgeMs: number;
  readonly flushPeriodMs: number;
  readonly flushEvents: number;
  readonly fsync: Fsync;
  readonly order: Order;
  readonly whenFull: WhenFull;
}

export interface DiskQueueParts {
  readonly settings: DiskQueueSettings;
  readonly files: QueueFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget: MemoryBudget;
  readonly metrics: DiskQueueMetrics;
  readonly log: Log;
}

/** What partitions need of the queue they are in. */
export interface PartitionHost extends DiskQueueParts {
  readonly owner: QueueOwner;
  /** Where messages that are read are kept. */
  readonly blocks: BlockPool;
  /** What is read from a file, until it is looked at. */
  readonly scanMemory: Buffer;
  /** Something waits for the next flush. */
  requestFlush(): void;
  /** Something waits for a flush now. */
  flushNow(): void;
  /** The queue does not end before `work` does, which must not fail. */
  waitFor(work: Promise<void>): void;
  /** Tells the owner, soon, that there is room or something to take. */
  announceChange(): void;
}
