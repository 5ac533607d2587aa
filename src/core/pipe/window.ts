/**
 * HOT. Windows: one per stream, collecting messages into an event until count, bytes or time closes it.
 *
 *     phases  [0][1][2] … [63]      each a ring of sources whose window is open
 *              ^hand                the hand passes all phases once in flush_time
 *
 * A source keeps its phase for life, so a message waits between 0 and flush_time, half of it on average. When all open
 * windows together pass a mark the hand turns at once, until they are below it: under load memory and latency fall, at
 * O(1) a message. The timer runs only while a window is open.
 */
import type { Clock, Timer } from '../../base/index.js';
import type { Message, ServerCall } from '../../net/grpc/contract.js';
import type { DataType } from '../data-type.js';
import { Event, costOf } from '../event.js';
import type { Identity } from '../event.js';
import type { SourceAccount } from '../fair-shares.js';
import type { PendingAcks } from './ack.js';
import type { QueuedMethod, StreamObserver, WindowSettings } from './contract.js';

/** Phases of the wheel: a step of 16 ms at the default flush_time. */
const PHASE_COUNT = 64;

/** One stream of a source and its window. */
export class Source {
  readonly call: ServerCall | null;
  /** Whose messages these are, as far as known. Owned: one reference. */
  identity: Identity | null = null;
  /** The open window, or null. */
  event: Event | null = null;
  /** The call was answered with an error; what still arrives is not taken. */
  isRefused = false;
  /** Its host's, with those of other streams; null where none is kept. */
  account: SourceAccount | null = null;
  /** Its call's, when the answer waits for the data; null: it does not. */
  acks: PendingAcks | null = null;
  /** What the receiver's observer keeps of this stream. */
  handle: unknown = null;
  readonly phase: number;
  /** Number of the opening of its window, in the order of its phase. */
  opening = 0;
  previous: Source | null = null;
  next: Source | null = null;

  constructor(call: ServerCall | null, phase: number) {
    this.call = call;
    this.phase = phase;
  }
}

/** Takes closed windows. */
export interface EventSink {
  offer(event: Event, source: Source): void;
}

export class WindowWheel {
  /** Memory that open windows keep. */
  openBytes = 0;
  private readonly settings: WindowSettings;
  private readonly dataType: DataType;
  private readonly method: number;
  private readonly observer: StreamObserver | null;
  private readonly clock: Clock;
  private readonly sink: EventSink;
  private readonly phases: Source[] = [];
  private readonly stepMs: number;
  private openCount = 0;
  private openings = 0;
  private hand = 0;
  /** When the hand moved last by time. */
  private turnedMs = 0;
  private nextPhase = 0;
  private timer: Timer | null = null;
  private readonly onTimer = (): void => {
    this.turnByTime();
  };

  constructor(queued: QueuedMethod, dataType: DataType, clock: Clock, sink: EventSink) {
    this.settings = queued.window;
    this.dataType = dataType;
    this.method = queued.method;
    this.observer = queued.observer;
    this.clock = clock;
    this.sink = sink;
    this.stepMs = queued.window.flushTimeMs / PHASE_COUNT;
    for (let phase = 0; phase < PHASE_COUNT; phase++) {
      const head = new Source(null, phase);
      head.previous = head;
      head.next = head;
      this.phases.push(head);
    }
  }

  /** Streams with an open window. */
  get openWindows(): number {
    return this.openCount;
  }

  createSource(call: ServerCall): Source {
    // Neighbouring phases in a row: streams that open together close one after the other.
    this.nextPhase = (this.nextPhase + 1) % PHASE_COUNT;
    return new Source(call, this.nextPhase);
  }

  /**
   * Takes one message into the source's window.
   * `identity`: what a new event needs to carry for it, or null. @ownership takes over the message, charged before.
   */
  add(source: Source, message: Message, entries: number, identity: Identity | null, keyHash: number): void {
    const settings = this.settings;
    let event = source.event;
    if (event !== null && event.bytes + message.length > settings.limitBytes) {
      this.close(source);
      event = null;
    }
    event ??= this.open(source, identity, keyHash);
    event.add(message, entries);
    if (source.acks !== null) source.acks.onMessage(message.length);
    this.openBytes += costOf(message);
    if (event.messages.length >= settings.limitCount || settings.flushTimeMs === 0) this.close(source);
    else if (this.openBytes > settings.totalBytes) this.turnByBytes();
  }

  /** Closes the source's window, if one is open, and hands the event on. */
  close(source: Source): void {
    const event = source.event;
    if (event === null) return;
    source.event = null;
    source.previous!.next = source.next;
    source.next!.previous = source.previous;
    source.previous = null;
    source.next = null;
    this.openCount--;
    this.openBytes -= event.costBytes;
    if (this.observer !== null) this.observer.onEvent(source.handle);
    this.sink.offer(event, source);
  }

  /** Closes every window. */
  closeAll(): void {
    for (let count = 0; count < PHASE_COUNT; count++) this.turn();
    this.timer?.cancel();
    this.timer = null;
  }

  private open(source: Source, identity: Identity | null, keyHash: number): Event {
    const nowMs = this.clock.now();
    const event = new Event(this.dataType, this.method, identity === null ? null : identity.retain(), keyHash, nowMs);
    event.account = source.account;
    event.ackTo = source.acks;
    if (source.acks !== null) source.acks.onEvent();
    source.event = event;
    source.opening = ++this.openings;
    const head = this.phases[source.phase]!;
    source.previous = head.previous;
    source.next = head;
    head.previous!.next = source;
    head.previous = source;
    if (this.openCount++ === 0 && this.timer === null) {
      this.turnedMs = nowMs;
      this.armTimer();
    }
    return event;
  }

  private armTimer(): void {
    if (this.stepMs > 0) this.timer = this.clock.setTimer(this.stepMs, this.onTimer);
  }

  /** As many phases as time has passed since the last turn, so that a late timer catches up. */
  private turnByTime(): void {
    this.timer = null;
    const nowMs = this.clock.now();
    const steps = Math.min(Math.floor((nowMs - this.turnedMs) / this.stepMs + 1e-6), PHASE_COUNT);
    this.turnedMs = steps === PHASE_COUNT ? nowMs : this.turnedMs + steps * this.stepMs;
    for (let count = 0; count < steps; count++) this.turn();
    if (this.openCount > 0) this.armTimer();
  }

  private turnByBytes(): void {
    for (let count = 0; count < PHASE_COUNT && this.openBytes > this.settings.totalBytes; count++) this.turn();
  }

  /** Moves the hand to the next phase and closes its windows. */
  private turn(): void {
    this.hand = (this.hand + 1) % PHASE_COUNT;
    const head = this.phases[this.hand]!;
    // Closing may let a source open its next window in this very phase; that one waits a round.
    const lastOpening = this.openings;
    while (head.next !== head && head.next!.opening <= lastOpening) this.close(head.next!);
  }
}
