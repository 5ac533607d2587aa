/**
 * HOT. The first stage: takes messages into the books and the budget, and closed windows into the queue. When there is no
 * room the pipe's policy decides, here and nowhere else.
 *
 *     drop_newest   what just came is dropped, counted; that of a greedy source a little earlier (fair-shares.ts)
 *     drop_oldest   the events that would leave the queue next make room; for a greedy source only those of its own
 *     block         the event waits here and its source is paused: flow control holds it back
 */
import { Ring } from '../../base/index.js';
import type { Clock } from '../../base/index.js';
import type { Message } from '../../net/grpc/contract.js';
import type { MemoryBudget } from '../budget.js';
import type { DropReason } from '../drop-reason.js';
import { costOf } from '../event.js';
import type { Event } from '../event.js';
import { FairShares, GREEDY_SHARE } from '../fair-shares.js';
import type { SourceAccount } from '../fair-shares.js';
import type { Ledger } from '../ledger.js';
import { QUEUE_CODE, isDurableQueue } from '../queue.js';
import type { Queue, QueueCode } from '../queue.js';
import type { Log } from '../telemetry.js';
import { DurableAcks, settleAck } from './ack.js';
import type { PipeMetrics } from './metrics.js';
import type { Recovery } from './recovery.js';
import type { Settlement } from './settlement.js';
import type { EventSink, Source } from './window.js';

/** The sender's side of the queue. */
export interface QueueConsumer {
  onOffered(event: Event): void;
  /** Takes the event that would leave `partition` next (any partition when -1), for dropping. */
  takeOldest(partition: number): Event | undefined;
  /** The same of one source. */
  takeOldestOf(account: SourceAccount, partition: number): Event | undefined;
}

/**
 * Share of the budget by which it may be passed: with `block`, by what paused sources still send on their flow-control
 * credit, before even `block` drops; always by the identities of new streams, before their calls fail.
 */
const OVERSHOOT = 1 / 8;

export interface GathererParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly budget: MemoryBudget;
  readonly metrics: PipeMetrics;
  readonly settlement: Settlement;
  readonly recovery: Recovery;
  readonly clock: Clock;
  readonly log: Log;
  /** A key's events stay in one partition. */
  readonly isOrdered: boolean;
}

export class Gatherer implements EventSink {
  /** Set by the pipe before the first offer. */
  consumer: QueueConsumer | null = null;
  private readonly ledger: Ledger;
  private readonly queue: Queue;
  private readonly budget: MemoryBudget;
  private readonly metrics: PipeMetrics;
  private readonly settlement: Settlement;
  private readonly recovery: Recovery;
  private readonly shares = new FairShares();
  /** Memory and events of a partition up to which greedy sources are taken. */
  private readonly budgetMark: number;
  private readonly partitionMark: number;
  /** `block` is fair by itself; a queue on disk drops what is oldest by whole files, whoever is in them. */
  private readonly hasShares: boolean;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly isOrdered: boolean;
  private nextPartition = 0;
  private isClosed = false;
  /** Events that wait for room, and their sources, by the same index; policy `block` only. */
  private readonly blockedEvents = new Ring<Event>();
  private readonly blockedSources = new Ring<Source>();
  /** By partition; used by durable queues only. */
  private readonly durableAcks: readonly DurableAcks[];
  /** Sources paused because the budget was used up. */
  private readonly starvedSources = new Ring<Source>();

  constructor(parts: GathererParts) {
    this.ledger = parts.ledger;
    this.queue = parts.queue;
    this.budget = parts.budget;
    this.metrics = parts.metrics;
    this.settlement = parts.settlement;
    this.recovery = parts.recovery;
    this.budgetMark = parts.budget.limitBytes * GREEDY_SHARE;
    this.partitionMark = Math.ceil((parts.queue.capacity / parts.queue.partitions) * GREEDY_SHARE);
    this.durableAcks = Array.from({ length: parts.queue.partitions }, () => new DurableAcks());
    const { whenFull, isDurable } = parts.queue;
    this.hasShares = whenFull === 'drop_newest' || (whenFull === 'drop_oldest' && !isDurable);
    this.clock = parts.clock;
    this.log = parts.log;
    this.isOrdered = parts.isOrdered;
  }

  /** Events that wait for room in the queue. */
  get waitingEvents(): number {
    return this.blockedEvents.length;
  }

  /** Sources held back now. */
  get pausedSources(): number {
    return this.blockedSources.length + this.starvedSources.length;
  }

  /** Counts and charges a message that is about to enter a window. False: it was dropped, counted. */
  admit(source: Source, message: Message, entries: number): boolean {
    const costBytes = costOf(message);
    if (this.isClosed) {
      this.refuse(entries, message.length, 'shutdown');
      return false;
    }
    if (!this.reserve(source, costBytes)) {
      this.refuse(entries, message.length, 'memory_budget');
      return false;
    }
    if (source.account !== null) source.account.hold(costBytes);
    this.ledger.receiveMessage(entries, message.length);
    return true;
  }

  /** A stream of `host` opened; null where shares are not kept. */
  openAccount(host: string): SourceAccount | null {
    return this.hasShares ? this.shares.join(host) : null;
  }

  /** Reserves memory for the identity of a stream. False: even the overshoot is used up. */
  admitIdentity(bytes: number): boolean {
    return this.budget.tryReserve(bytes) || this.overshoot(bytes);
  }

  /** Counts a message that is lost on arrival. */
  refuse(entries: number, bytes: number, reason: DropReason): void {
    this.ledger.refuseMessage(entries, bytes, reason);
    this.logDrop(reason);
  }

  /** Takes a closed window. @ownership takes over the event. */
  offer(event: Event, source: Source): void {
    this.ledger.receiveEvent();
    this.metrics.received.value++;
    const code = this.blockedEvents.length > 0 ? QUEUE_CODE.full : this.tryOffer(event);
    if (code !== QUEUE_CODE.ok) this.onRefused(event, source, code);
  }

  /** Room may have become free, in the queue or in the budget. */
  onRoom(): void {
    while (this.blockedEvents.length > 0) {
      if (this.tryOffer(this.blockedEvents.peek()!) !== QUEUE_CODE.ok) break;
      this.blockedEvents.shift();
      this.blockedSources.shift()!.call!.resume();
    }
    while (this.starvedSources.length > 0 && this.budget.usedBytes < this.budget.limitBytes) {
      this.starvedSources.shift()!.call!.resume();
    }
  }

  /** Events of a partition up to number `count` are on disk. */
  onDurable(partition: number, count: number): void {
    this.durableAcks[partition]!.onDurable(count);
  }

  /** Takes nothing more, and drops what still waits for room. */
  close(): void {
    this.isClosed = true;
    while (this.blockedEvents.length > 0) {
      this.settlement.dropRefused(this.blockedEvents.shift()!, 'shutdown');
      this.blockedSources.shift()!.call!.resume();
    }
    while (this.starvedSources.length > 0) this.starvedSources.shift()!.call!.resume();
  }

  private reserve(source: Source, costBytes: number): boolean {
    if (this.budget.usedBytes + costBytes > this.budgetMark) {
      // What is safe on disk need not be in memory as well.
      if (isDurableQueue(this.queue)) this.queue.unload(costBytes);
      const isScarce = this.budget.usedBytes + costBytes > this.budgetMark;
      if (isScarce && this.isGreedy(source.account)) return this.replaceOwn(source.account!, costBytes);
    }
    return this.budget.tryReserve(costBytes) || this.makeRoom(source, costBytes);
  }

  /** A greedy source may keep as much as it has. */
  private replaceOwn(account: SourceAccount, costBytes: number): boolean {
    if (this.queue.whenFull !== 'drop_oldest') return false;
    for (let freedBytes = 0; freedBytes < costBytes;) {
      const oldest = this.consumer!.takeOldestOf(account, -1);
      if (oldest === undefined) return false;
      freedBytes += oldest.costBytes;
      this.drop(oldest, 'memory_budget');
    }
    return this.budget.tryReserve(costBytes);
  }

  private makeRoom(source: Source, costBytes: number): boolean {
    switch (this.queue.whenFull) {
      case 'drop_newest':
        return false;
      case 'drop_oldest':
        // To drop what lies on disk frees no memory.
        if (this.queue.isDurable) return false;
        do {
          const oldest = this.consumer!.takeOldest(-1);
          if (oldest === undefined) return false;
          this.drop(oldest, 'memory_budget');
        } while (!this.budget.tryReserve(costBytes));
        return true;
      case 'block':
        if (!this.overshoot(costBytes)) return false;
        this.pause(source);
        this.starvedSources.push(source);
        return true;
    }
  }

  private overshoot(bytes: number): boolean {
    if (this.budget.usedBytes + bytes > this.budget.limitBytes * (1 + OVERSHOOT)) return false;
    this.budget.reserve(bytes);
    return true;
  }

  private onRefused(event: Event, source: Source, code: QueueCode): void {
    if (code === QUEUE_CODE.full && this.queue.whenFull === 'block') {
      this.pause(source);
      this.blockedEvents.push(event);
      this.blockedSources.push(source);
      return;
    }
    if (code === QUEUE_CODE.full && this.queue.whenFull === 'drop_oldest') code = this.offerInsteadOfOldest(event);
    if (code === QUEUE_CODE.ok) return;
    const reason = code === QUEUE_CODE.full ? 'queue_full' : code === QUEUE_CODE.tooLarge ? 'too_large' : 'shutdown';
    this.settlement.dropRefused(event, reason);
    this.logDrop(reason);
  }

  private offerInsteadOfOldest(event: Event): QueueCode {
    const { consumer, queue, isOrdered } = this;
    // A queue on disk has done what it can, a file at a time.
    if (queue.isDurable) return QUEUE_CODE.full;
    const account = this.isGreedy(event.account) ? event.account : null;
    const partition = isOrdered ? event.keyHash % queue.partitions : -1;
    let code: QueueCode = QUEUE_CODE.full;
    while (code === QUEUE_CODE.full) {
      const oldest = account === null ? consumer!.takeOldest(partition) : consumer!.takeOldestOf(account, partition);
      if (oldest === undefined) break;
      this.metrics.abandoned.value++;
      this.drop(oldest, 'queue_full');
      code = this.enter(event, oldest.partition);
    }
    return code;
  }

  private drop(event: Event, reason: DropReason): void {
    this.settlement.dropTaken(event, reason);
    this.logDrop(reason);
  }

  /** Ordered kinds: the partition of the key. Others: the next one in turn with room. */
  private tryOffer(event: Event): QueueCode {
    const partitions = this.queue.partitions;
    let partition = this.isOrdered ? event.keyHash % partitions : this.nextPartition;
    let code: QueueCode = QUEUE_CODE.full;
    const tries = this.isOrdered ? 1 : partitions;
    for (let count = 0; count < tries && code === QUEUE_CODE.full; count++) {
      // Most partitions are far from their mark most of the time: that is asked first.
      const isReserved = this.queue.size(partition) >= this.partitionMark && this.isGreedy(event.account);
      if (!isReserved) code = this.enter(event, partition);
      partition = partition + 1 === partitions ? 0 : partition + 1;
    }
    return code;
  }

  private enter(event: Event, partition: number): QueueCode {
    event.partition = partition;
    event.queuedMs = this.clock.now();
    const code = this.offerTo(event, partition);
    if (code !== QUEUE_CODE.ok) return code;
    this.nextPartition = partition + 1 === this.queue.partitions ? 0 : partition + 1;
    if (event.ackTo !== null) this.awaitAck(event);
    this.consumer!.onOffered(event);
    return code;
  }

  /** The queue has taken an event whose call waits for more than that it was received. */
  private awaitAck(event: Event): void {
    if (isDurableQueue(this.queue)) {
      const { partition } = event;
      this.durableAcks[partition]!.onTaken(event, this.queue.offered(partition));
    } else if (event.ackTo!.level === 'queued') {
      settleAck(event, null);
    }
  }

  private isGreedy(account: SourceAccount | null): boolean {
    return account?.isGreedy === true;
  }

  /** A queue that throws has no room: the pipe's policy decides. */
  private offerTo(event: Event, partition: number): QueueCode {
    try {
      return this.queue.offer(event, partition);
    } catch (error) {
      this.recovery.onException('queue', error);
      return QUEUE_CODE.full;
    }
  }

  private pause(source: Source): void {
    this.metrics.paused.value++;
    source.call!.pause();
  }

  private logDrop(reason: DropReason): void {
    this.log.repeated('warn', `drop-${reason}`, 'data dropped', { reason });
  }
}
