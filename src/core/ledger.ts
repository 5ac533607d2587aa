/**
 * HOT. A pipe's books, in events, messages, entries and bytes of payload:
 *
 *     received = delivered + dropped{reason} + held          at any moment, exactly
 *
 * Messages, entries and bytes count as received when they arrive; events when their window closes. Delivered means that
 * the backend answered the call with OK. Adding is all that happens on the hot path.
 */
import type { Batch } from './batch.js';
import { DROP_REASONS } from './drop-reason.js';
import type { DropReason } from './drop-reason.js';
import type { Event } from './event.js';
import type { QueueTotals } from './queue-totals.js';
import type { Counter, MetricDefinition, Metrics } from './telemetry.js';

const REASONS = Object.keys(DROP_REASONS) as readonly DropReason[];

const UNITS = ['events', 'messages', 'entries', 'bytes'] as const;
type Unit = (typeof UNITS)[number];

export const LEDGER_RECEIVED: MetricDefinition = {
  name: 'ledger_received_count',
  type: 'counter',
  help: 'Data taken from sources. received = delivered + dropped + held, per pipe and unit.',
  labels: ['pipe', 'unit'],
  stability: 'stable',
};
export const LEDGER_DELIVERED: MetricDefinition = {
  name: 'ledger_delivered_count',
  type: 'counter',
  help: 'Data that a backend has acknowledged with status OK.',
  labels: ['pipe', 'unit'],
  stability: 'stable',
};
export const LEDGER_DROPPED: MetricDefinition = {
  name: 'ledger_dropped_count',
  type: 'counter',
  help: 'Data lost, by reason; intentional when a limit of ours or a shutdown was the cause.',
  labels: ['pipe', 'unit', 'reason', 'intentional'],
  stability: 'stable',
};
export const LEDGER_HELD: MetricDefinition = {
  name: 'ledger_held',
  type: 'gauge',
  help: 'Data in windows, in the queue and in batches not yet settled.',
  labels: ['pipe', 'unit'],
  stability: 'stable',
};

/** One column of the books. */
class Account {
  readonly events: Counter;
  readonly messages: Counter;
  readonly entries: Counter;
  readonly bytes: Counter;

  constructor(counter: (unit: Unit) => Counter) {
    this.events = counter('events');
    this.messages = counter('messages');
    this.entries = counter('entries');
    this.bytes = counter('bytes');
  }

  addMessages(messages: number, entries: number, bytes: number): void {
    this.messages.value += messages;
    this.entries.value += entries;
    this.bytes.value += bytes;
  }
}

/** The books at one moment, for reports and tests. */
export interface LedgerSnapshot {
  readonly received: Readonly<Record<Unit, number>>;
  readonly delivered: Readonly<Record<Unit, number>>;
  /** Only reasons that occurred. */
  readonly dropped: Readonly<Partial<Record<DropReason, Readonly<Record<Unit, number>>>>>;
  readonly held: Readonly<Record<Unit, number>>;
}

export class Ledger {
  private readonly received: Account;
  private readonly delivered: Account;
  private readonly dropped: Readonly<Record<DropReason, Account>>;
  private readonly held: Account;
  private readonly removers: (() => void)[];

  constructor(pipe: string, metrics: Metrics) {
    this.received = new Account((unit) => metrics.counter(LEDGER_RECEIVED, { pipe, unit }));
    this.delivered = new Account((unit) => metrics.counter(LEDGER_DELIVERED, { pipe, unit }));
    const dropped: Partial<Record<DropReason, Account>> = {};
    for (const reason of REASONS) {
      const intentional = String(DROP_REASONS[reason]);
      dropped[reason] = new Account((unit) => metrics.counter(LEDGER_DROPPED, { pipe, unit, reason, intentional }));
    }
    this.dropped = dropped as Record<DropReason, Account>;
    this.held = new Account(() => ({ value: 0 }));
    this.removers = UNITS.map((unit) => metrics.gauge(LEDGER_HELD, { pipe, unit }, () => this.held[unit].value));
  }

  /** One message taken into a window. */
  receiveMessage(entries: number, bytes: number): void {
    this.received.addMessages(1, entries, bytes);
    this.held.addMessages(1, entries, bytes);
  }

  /** One message counted and lost at once, before it belonged to an event. */
  refuseMessage(entries: number, bytes: number, reason: DropReason): void {
    this.received.addMessages(1, entries, bytes);
    this.dropped[reason].addMessages(1, entries, bytes);
  }

  /** A window closed: its messages are an event now. */
  receiveEvent(): void {
    this.received.events.value++;
    this.held.events.value++;
  }

  /** What an earlier process has left in a durable queue. */
  receiveFound(found: QueueTotals): void {
    this.received.addMessages(found.messages, found.entries, found.bytes);
    this.held.addMessages(found.messages, found.entries, found.bytes);
    this.received.events.value += found.events;
    this.held.events.value += found.events;
  }

  /** Events that a durable queue has lost, unread. */
  dropUnread(lost: QueueTotals, reason: DropReason): void {
    this.dropped[reason].addMessages(lost.messages, lost.entries, lost.bytes);
    this.held.addMessages(-lost.messages, -lost.entries, -lost.bytes);
    this.dropped[reason].events.value += lost.events;
    this.held.events.value -= lost.events;
  }

  /** The messages of a batch; its events follow by `deliverEvent` or `dropEvent` as they complete. */
  deliverMessages(batch: Batch): void {
    this.delivered.addMessages(batch.messages, batch.entries, batch.bytes);
    this.held.addMessages(-batch.messages, -batch.entries, -batch.bytes);
  }

  dropMessages(batch: Batch, reason: DropReason): void {
    this.dropped[reason].addMessages(batch.messages, batch.entries, batch.bytes);
    this.held.addMessages(-batch.messages, -batch.entries, -batch.bytes);
  }

  /** All messages of an event are settled, all of them delivered. */
  deliverEvent(): void {
    this.delivered.events.value++;
    this.held.events.value--;
  }

  /** All messages of an event are settled, at least one of them dropped. */
  dropEvent(reason: DropReason): void {
    this.dropped[reason].events.value++;
    this.held.events.value--;
  }

  /** An event dropped whole, outside any batch. */
  dropWholeEvent(event: Event, reason: DropReason): void {
    this.dropped[reason].addMessages(event.messages.length, event.entries, event.bytes);
    this.held.addMessages(-event.messages.length, -event.entries, -event.bytes);
    this.dropEvent(reason);
  }

  snapshot(): LedgerSnapshot {
    const dropped: Partial<Record<DropReason, Record<Unit, number>>> = {};
    for (const reason of REASONS) {
      const values = readAccount(this.dropped[reason]);
      if (values.messages > 0 || values.events > 0) dropped[reason] = values;
    }
    return {
      received: readAccount(this.received),
      delivered: readAccount(this.delivered),
      dropped,
      held: readAccount(this.held),
    };
  }

  close(): void {
    for (const remove of this.removers) remove();
  }
}

function readAccount(account: Account): Record<Unit, number> {
  return {
    events: account.events.value,
    messages: account.messages.value,
    entries: account.entries.value,
    bytes: account.bytes.value,
  };
}
