/**
 * HOT. What a source's OK waits for. With `received` nothing here is used. Else each call counts its events that are not
 * safe yet; when they are too many bytes the call is paused, and its answer waits for the last of them.
 */
import { Ring } from '../../base/index.js';
import type { ServerCall } from '../../net/grpc/contract.js';
import type { DropReason } from '../drop-reason.js';
import type { AckListener, Event } from '../event.js';

/** `queued`: taken by the queue, by one on disk as its fsync says. `delivered`: a backend has answered OK. */
export const ACK_LEVELS = ['received', 'queued', 'delivered'] as const;
export type AckLevel = (typeof ACK_LEVELS)[number];

/** Bytes of a call that may wait for their acknowledgement; a paused call goes on at half. Twice a stream's window. */
const PAUSE_BYTES = 2 * 1024 * 1024;

const OK = 0;
const UNAVAILABLE = 14;
const NO_PARTS: readonly Uint8Array[] = [];

/** Of one call. */
export class PendingAcks implements AckListener {
  readonly level: 'queued' | 'delivered';
  private readonly call: ServerCall;
  /** Events opened and not safe. */
  private events = 0;
  private bytes = 0;
  private isPaused = false;
  private isAnswerDue = false;
  private lost: DropReason | null = null;

  constructor(call: ServerCall, level: 'queued' | 'delivered') {
    this.call = call;
    this.level = level;
  }

  onEvent(): void {
    this.events++;
  }

  onMessage(bytes: number): void {
    this.bytes += bytes;
    if (this.isPaused || this.bytes <= PAUSE_BYTES) return;
    this.isPaused = true;
    this.call.pause();
  }

  /** A message was lost before it belonged to an event. */
  onRefused(reason: DropReason): void {
    this.lost = reason;
  }

  onSettled(bytes: number, reason: DropReason | null): void {
    this.events--;
    this.bytes -= bytes;
    if (reason !== null) this.lost = reason;
    if (this.isPaused && this.bytes <= PAUSE_BYTES / 2) {
      this.isPaused = false;
      this.call.resume();
    }
    if (this.isAnswerDue) this.answerWhenSafe();
  }

  /** The call has half-closed, and its window is closed. */
  answerWhenSafe(): void {
    this.isAnswerDue = true;
    if (this.events > 0) return;
    if (this.lost !== null) {
      this.call.finish(UNAVAILABLE, `not all was kept: ${this.lost}`);
      return;
    }
    this.call.sendMessage(NO_PARTS, 0);
    this.call.finish(OK);
  }
}

/** Events of one partition of a durable queue that are not on disk yet, in the order of their numbers. */
export class DurableAcks {
  private readonly listeners = new Ring<AckListener>();
  private readonly bytes = new Ring<number>();
  private readonly numbers = new Ring<number>();

  /** The queue has taken `event`, which has somebody to tell, as its `number`th. It need not be kept for that. */
  onTaken(event: Event, number: number): void {
    this.listeners.push(event.ackTo!);
    this.bytes.push(event.bytes);
    this.numbers.push(number);
    event.ackTo = null;
  }

  /** All up to `count` are safe. */
  onDurable(count: number): void {
    while (this.numbers.length > 0 && this.numbers.peek()! <= count) {
      this.numbers.shift();
      this.listeners.shift()!.onSettled(this.bytes.shift()!, null);
    }
  }
}

/** Tells the event's call, once, that it is safe (null), or why it is lost. */
export function settleAck(event: Event, reason: DropReason | null): void {
  const listener = event.ackTo;
  if (listener === null) return;
  event.ackTo = null;
  listener.onSettled(event.bytes, reason);
}
