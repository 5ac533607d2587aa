/**
 * HOT. Cuts batches out of a queue: of one partition where order matters (then one batch is out at a time), else of all
 * partitions together. Events wait in the queue until their batch is due; nothing polls:
 *
 *     full (events or bytes)                         at once
 *     oldest event waited flush_time                 whatever there is
 *     no batch out, and min_flush_events are there   when the oldest waited `linger`
 */
import { Ring } from '../../base/index.js';
import type { Clock, Timer } from '../../base/index.js';
import { Batch } from '../batch.js';
import type { Event } from '../event.js';
import type { QueueTotals } from '../queue-totals.js';
import type { Queue } from '../queue.js';
import type { SenderSettings } from './config.js';
import type { PipeMetrics } from './metrics.js';
import type { Processor } from './processor.js';
import type { Recovery } from './recovery.js';

/** Where a lane's batches go. */
export interface BatchSink {
  dispatch(batch: Batch): void;
}

export interface LaneParts {
  readonly queue: Queue;
  readonly settings: SenderSettings;
  readonly metrics: PipeMetrics;
  readonly processor: Processor;
  readonly recovery: Recovery;
  readonly clock: Clock;
  readonly sink: BatchSink;
  /** Called after events were taken out of the queue. */
  readonly onRoom: () => void;
}

export class Lane {
  /** Batches cut and not settled, those in `ready` not counted. */
  out = 0;
  pendingEvents = 0;
  pendingBytes = 0;
  /** Everything is due: the pipe is draining. */
  isDraining = false;
  private isStopped = false;
  private readonly queue: Queue;
  private readonly settings: SenderSettings;
  private readonly metrics: PipeMetrics;
  private readonly processor: Processor;
  private readonly recovery: Recovery;
  private readonly clock: Clock;
  private readonly sink: BatchSink;
  private readonly onRoom: () => void;
  private readonly firstPartition: number;
  private readonly partitionCount: number;
  /** Most batches out at once, as it is now. */
  private readonly maxOut: () => number;
  private readonly maxEvents: number;
  /** The partition to take from next. */
  private cursor = 0;
  /** Halves of a bisected batch, before anything new. */
  private readonly ready = new Ring<Batch>(4);
  private timer: Timer | null = null;
  private timerDueMs = 0;
  private readonly onTimer = (): void => {
    this.timer = null;
    this.pump();
  };

  constructor(
    parts: LaneParts,
    firstPartition: number,
    partitionCount: number,
    maxOut: () => number,
    maxEvents: number,
  ) {
    this.queue = parts.queue;
    this.settings = parts.settings;
    this.metrics = parts.metrics;
    this.processor = parts.processor;
    this.recovery = parts.recovery;
    this.clock = parts.clock;
    this.sink = parts.sink;
    this.onRoom = parts.onRoom;
    this.firstPartition = firstPartition;
    this.partitionCount = partitionCount;
    this.maxOut = maxOut;
    this.maxEvents = maxEvents;
  }

  get isIdle(): boolean {
    return this.out === 0 && this.pendingEvents === 0 && this.ready.length === 0;
  }

  /** The event to leave next, or undefined. */
  peek(): Event | undefined {
    if (this.pendingEvents === 0) return undefined;
    try {
      for (let count = 0; count < this.partitionCount; count++) {
        const event = this.queue.peek(this.firstPartition + this.cursor);
        if (event !== undefined) return event;
        this.cursor = this.cursor + 1 === this.partitionCount ? 0 : this.cursor + 1;
      }
    } catch (error) {
      this.recovery.onException('queue', error);
    }
    return undefined;
  }

  onOffered(event: Event): void {
    this.pendingEvents++;
    this.pendingBytes += event.wireBytes;
    this.pump();
  }

  /** The queue had these when it opened. @order before `pump`. */
  onFound(totals: QueueTotals): void {
    this.pendingEvents += totals.events;
    this.pendingBytes += totals.wireBytes;
  }

  /** The queue has lost these. */
  onLost(totals: QueueTotals): void {
    this.pendingEvents -= totals.events;
    this.pendingBytes -= totals.wireBytes;
  }

  /** The event has left the queue. */
  onTaken(event: Event): void {
    this.pendingEvents--;
    this.pendingBytes -= event.wireBytes;
  }

  /** Takes the oldest event out, of `partition` or, when -1, of any; for dropping. */
  takeOldest(partition: number): Event | undefined {
    if (partition < 0) return this.take();
    try {
      const event = this.queue.take(partition);
      if (event !== undefined) this.onTaken(event);
      return event;
    } catch (error) {
      this.recovery.onException('queue', error);
      return undefined;
    }
  }

  /** A batch is settled, so another may go. */
  onSettled(): void {
    this.out--;
    this.pump();
  }

  /** A batch was replaced by its halves, which go before anything new. */
  onBisected(first: Batch, second: Batch): void {
    this.ready.unshift(second);
    this.ready.unshift(first);
    this.onSettled();
  }

  /** Halves that have not been sent, at the end. */
  takeReady(): Batch | undefined {
    return this.ready.shift();
  }

  /** Sends what is due, and arms the timer for what will be. */
  pump(): void {
    let hasTaken = false;
    while (!this.isStopped && !this.recovery.isStandingStill && this.out < this.maxOut()) {
      let batch = this.ready.shift();
      if (batch === undefined) {
        const oldest = this.peek();
        if (oldest === undefined) break;
        const nowMs = this.clock.now();
        const dueMs = this.dueMs(oldest);
        if (dueMs > nowMs) {
          this.armTimer(dueMs, nowMs);
          break;
        }
        hasTaken = true;
        batch = this.cut();
        if (batch === undefined) continue;
      }
      this.out++;
      this.sink.dispatch(batch);
    }
    if (hasTaken) this.onRoom();
  }

  /** Cuts nothing more. */
  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
    this.timer = null;
  }

  private dueMs(oldest: Event): number {
    const settings = this.settings;
    if (this.isDraining || this.pendingEvents >= this.maxEvents || this.pendingBytes >= settings.maxBatchBytes)
      return 0;
    if (this.out > 0 || this.pendingEvents < settings.minFlushEvents) return oldest.queuedMs + settings.flushTimeMs;
    return oldest.queuedMs + Math.min(settings.lingerMs, settings.flushTimeMs);
  }

  private armTimer(dueMs: number, nowMs: number): void {
    if (this.timer !== null) {
      if (this.timerDueMs <= dueMs) return;
      this.timer.cancel();
    }
    this.timerDueMs = dueMs;
    this.timer = this.clock.setTimer(dueMs - nowMs, this.onTimer);
  }

  /** The next batch; undefined when the filters dropped all that was there, or the queue failed. */
  private cut(): Batch | undefined {
    const events: Event[] = [];
    let bytes = 0;
    while (events.length < this.maxEvents && !this.recovery.isStandingStill) {
      const event = this.peek();
      if (event === undefined) break;
      const isFirst = events.length === 0;
      // One call has one method.
      if (!isFirst && event.method !== events[0]!.method) break;
      if (!isFirst && bytes + event.wireBytes > this.settings.maxBatchBytes) break;
      if (this.take() === undefined) break;
      this.metrics.queueOutput.value++;
      if (!this.processor.keeps(event)) continue;
      events.push(event);
      bytes += event.wireBytes;
    }
    return events.length === 0 ? undefined : new Batch(events);
  }

  private take(): Event | undefined {
    if (this.peek() === undefined) return undefined;
    const partition = this.firstPartition + this.cursor;
    this.cursor = this.cursor + 1 === this.partitionCount ? 0 : this.cursor + 1;
    return this.takeOldest(partition);
  }
}
