/**
 * What a queue is to the pipe. Verbs: offer (try to hand in), take (hand out; the queue still answers for the event),
 * settle (finished: delivered or dropped). Nothing polls: the pipe knows when it has offered.
 */
import type { Event } from './event.js';

/** Answers of `offer`. */
export const QUEUE_CODE = { ok: 0, full: 1, tooLarge: 2, closed: 3 } as const;
export type QueueCode = (typeof QUEUE_CODE)[keyof typeof QUEUE_CODE];

/** What happens to an event that finds its queue full. */
export const WHEN_FULL = ['drop_newest', 'drop_oldest', 'block'] as const;
export type WhenFull = (typeof WHEN_FULL)[number];

export interface Queue {
  /** Independent FIFOs, at least 1. */
  readonly partitions: number;
  readonly whenFull: WhenFull;
  /** Keeps unsettled events beyond the process: then a shutdown loses nothing. */
  readonly isDurable: boolean;
  /** Of all partitions, in the unit that `size` uses: events (memory), bytes (disk). */
  readonly capacity: number;
  /** Pending in one partition, in the same unit. */
  size(partition: number): number;
  /** Pending events of one partition, also those found at `open`. */
  pendingEvents(partition: number): number;
  /** @order before anything else. @throws SAT_Q_* */
  open(): Promise<void>;
  /** Takes ownership of `event` when it answers ok. */
  offer(event: Event, partition: number): QueueCode;
  /** The event that `take` would hand out, or undefined when nothing is pending. */
  peek(partition: number): Event | undefined;
  take(partition: number): Event | undefined;
  /** The event that was taken is delivered or dropped: forget it. In any order. */
  settle(event: Event): void;
  close(): Promise<void>;
}
