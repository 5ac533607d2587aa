/**
 * What a queue is to the pipe. Verbs: offer (try to hand in), take (hand out; the queue still answers for the event),
 * settle (finished: delivered or dropped). Nothing polls: the pipe knows when it has offered.
 */
import type { DataType } from './data-type.js';
import type { DropReason } from './drop-reason.js';
import type { Event } from './event.js';
import type { SourceAccount } from './fair-shares.js';
import type { QueueTotals } from './queue-totals.js';

/** Answers of `offer`. */
export const QUEUE_CODE = { ok: 0, full: 1, tooLarge: 2, closed: 3 } as const;
export type QueueCode = (typeof QUEUE_CODE)[keyof typeof QUEUE_CODE];

/** Each has rings, files or directories of its own: far above any use, far below what a slip of the pen would cost. */
export const MAX_PARTITIONS = 1024;

/** What happens to an event that finds its queue full. */
export const WHEN_FULL = ['drop_newest', 'drop_oldest', 'block'] as const;
export type WhenFull = (typeof WHEN_FULL)[number];

export interface Queue {
  /** Independent FIFOs, at least 1. */
  readonly partitions: number;
  readonly whenFull: WhenFull;
  /** Keeps unsettled events beyond the process: then a shutdown loses nothing, and it is a `DurableQueue`. */
  readonly isDurable: boolean;
  /** Of all partitions, in the unit that `size` uses: events (memory), bytes (disk). */
  readonly capacity: number;
  /** Pending in one partition, in the same unit. */
  size(partition: number): number;
  /** Pending events of one partition, also those found at `open`. */
  pendingEvents(partition: number): number;
  /** @order before anything else. @throws SAT_Q_* */
  open(): Promise<void>;
  /** Takes ownership of `event` when it answers ok; one on disk also answers for its account from then on. */
  offer(event: Event, partition: number): QueueCode;
  /** The event that `take` would hand out, or undefined when nothing is pending. */
  peek(partition: number): Event | undefined;
  take(partition: number): Event | undefined;
  /** Takes the oldest event of one source, of `partition` or, when -1, of any; undefined also where that is not kept. */
  takeOf(account: SourceAccount, partition: number): Event | undefined;
  /** The event that was taken is delivered or dropped: forget it. In any order. */
  settle(event: Event): void;
  close(): Promise<void>;
}

/**
 * A queue that survives the process. It starts with what an earlier one left; its events that lie on disk only are
 * charged to no budget; and it may lose some of them by itself. With `drop_oldest` it makes room by itself as well.
 */
export interface DurableQueue extends Queue {
  readonly isDurable: true;
  /** The pipe; nobody at first. @order set before `open`. */
  owner: QueueOwner;
  /** What `open` has found in a partition. */
  found(partition: number): QueueTotals;
  /** Events that a partition has taken since `open`: the number of the last one, for `onDurable`. */
  offered(partition: number): number;
  /** Lets go of pending events that are in memory too, `bytes` of them if there are, to be read in their turn. */
  unload(bytes: number): void;
}

/** What a durable queue tells its pipe. Called from inside any of its methods, and from timers. */
export interface QueueOwner {
  /** Of the events that may be found. */
  readonly dataType: DataType;
  /** There may be room, or something to take, without a call of the pipe having made it. */
  onChange(): void;
  /** Pending events are lost, unread: damaged, too old, or pushed out by newer ones. */
  onLost(partition: number, totals: QueueTotals, reason: DropReason): void;
  /** The events of a partition up to number `count` are as safe as the fsync policy makes them. */
  onDurable(partition: number, count: number): void;
}

export function isDurableQueue(queue: Queue): queue is DurableQueue {
  return queue.isDurable;
}
