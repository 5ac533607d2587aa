/**
 * HOT. The one place where data leaves the books: delivered or dropped, once, with queue, memory and identity let go.
 */
import type { Clock } from '../../base/index.js';
import type { Batch } from '../batch.js';
import type { MemoryBudget } from '../budget.js';
import type { DropReason } from '../drop-reason.js';
import type { Event } from '../event.js';
import type { Ledger } from '../ledger.js';
import type { Queue } from '../queue.js';
import { settleAck } from './ack.js';
import type { PipeMetrics } from './metrics.js';
import type { Recovery } from './recovery.js';

export class Settlement {
  private readonly ledger: Ledger;
  private readonly queue: Queue;
  private readonly budget: MemoryBudget;
  private readonly metrics: PipeMetrics;
  private readonly clock: Clock;
  private readonly recovery: Recovery;

  constructor(
    ledger: Ledger,
    queue: Queue,
    budget: MemoryBudget,
    metrics: PipeMetrics,
    clock: Clock,
    recovery: Recovery,
  ) {
    this.ledger = ledger;
    this.queue = queue;
    this.budget = budget;
    this.metrics = metrics;
    this.clock = clock;
    this.recovery = recovery;
  }

  /** The backend answered OK to the call that carried `batch`. */
  deliver(batch: Batch): void {
    batch.markSettled();
    this.ledger.deliverMessages(batch);
    this.completeEvents(batch);
  }

  /** Final failure of a batch. */
  drop(batch: Batch, reason: DropReason): void {
    batch.markSettled();
    this.ledger.dropMessages(batch, reason);
    for (let index = 0; index < batch.events.length; index++) batch.events[index]!.damage = reason;
    this.completeEvents(batch);
  }

  /** Drops an event that the queue has refused. */
  dropRefused(event: Event, reason: DropReason): void {
    this.metrics.abandoned.value++;
    this.ledger.dropWholeEvent(event, reason);
    settleAck(event, reason);
    this.release(event);
  }

  /** Drops an event taken from the queue that is in no batch. */
  dropTaken(event: Event, reason: DropReason): void {
    this.settleInQueue(event);
    this.ledger.dropWholeEvent(event, reason);
    settleAck(event, reason);
    this.release(event);
  }

  /** Lets go of a batch whose events a durable queue keeps beyond the process; the books hold them to the end. */
  leaveToQueue(batch: Batch): void {
    batch.markSettled();
    for (let index = 0; index < batch.events.length; index++) {
      const event = batch.events[index]!;
      event.unsettledMessages -= batch.isPartial ? batch.messages : event.messages.length;
      if (event.unsettledMessages === 0) this.release(event);
    }
  }

  private completeEvents(batch: Batch): void {
    const nowMs = this.clock.now();
    for (let index = 0; index < batch.events.length; index++) {
      const event = batch.events[index]!;
      event.unsettledMessages -= batch.isPartial ? batch.messages : event.messages.length;
      if (event.unsettledMessages === 0) this.complete(event, nowMs);
    }
  }

  private complete(event: Event, nowMs: number): void {
    this.settleInQueue(event);
    if (event.damage === null) {
      this.ledger.deliverEvent();
      this.metrics.delivered.value++;
      this.metrics.latency.observe((nowMs - event.receivedMs) / 1000);
    } else {
      this.ledger.dropEvent(event.damage);
      this.metrics.failed.value++;
    }
    settleAck(event, event.damage);
    this.release(event);
  }

  private settleInQueue(event: Event): void {
    try {
      this.queue.settle(event);
    } catch (error) {
      this.recovery.onException('queue', error);
    }
  }

  private release(event: Event): void {
    event.releaseMessages();
    this.budget.release(event.costBytes);
    if (event.account !== null) event.account.release(event.costBytes);
    if (event.identity !== null) event.identity.release();
  }
}
