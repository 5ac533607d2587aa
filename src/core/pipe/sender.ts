/**
 * The last stage: brings batches to a backend, and decides what follows a failure. It wakes on events, never polls.
 *
 *               lease                  OK
 *     dispatch ------> attempt -----------------> delivered
 *        ^   \            | failed
 *        |    \ none      v
 *        |     > waiting  another endpoint at once; when all have failed it:
 *        |                 - back-off, growing, with jitter      (endpoints at fault)
 *        |                 - hold all, one probe in 30 s         (all refuse our token)
 *        +-----------------+ bisect, until one message is left   (the data is at fault)
 *                          - stand still, then as before         (a plugin of ours threw: recovery.ts)
 *                          - final failure: the fallbacker, then dropped with its reason
 */
import { Backoff, Ring, TimerWheel } from '../../base/index.js';
import type { Clock, Random, Timer } from '../../base/index.js';
import type { ClientCall, ClientCallHandler, Status } from '../../net/grpc/contract.js';
import { statusName } from '../../net/grpc/status.js';
import type { Batch } from '../batch.js';
import { OUTCOME } from '../channel.js';
import type { Channel, EndpointView, Lease, Outcome } from '../channel.js';
import type { DropReason } from '../drop-reason.js';
import type { Event } from '../event.js';
import type { SourceAccount } from '../fair-shares.js';
import type { QueueTotals } from '../queue-totals.js';
import { isDurableQueue } from '../queue.js';
import type { Queue } from '../queue.js';
import type { Log } from '../telemetry.js';
import { Attempt } from './attempt.js';
import type { AttemptParts } from './attempt.js';
import { maxInFlightFor } from './config.js';
import type { SenderSettings } from './config.js';
import type { Fallbacker, Forwarder } from './contract.js';
import type { QueueConsumer } from './gatherer.js';
import { Lane } from './lane.js';
import type { BatchSink } from './lane.js';
import type { PipeMetrics, RetryCause } from './metrics.js';
import type { Processor } from './processor.js';
import type { Recovery } from './recovery.js';
import type { Settlement } from './settlement.js';
import { TokenHold } from './token-hold.js';
import { VERDICT, causeOf, classifyStatus, outcomeOf } from './verdict.js';
import type { Verdict } from './verdict.js';

/** INTERNAL or UNKNOWN from this many endpoints, or this often from too few, is the data's fault. */
const SUSPECTING_ENDPOINTS = 2;
const SUSPICIONS_OF_FEW = 3;
/** Rounds before endpoints that are not ready lose their say about a method or token: with the defaults 3.5 s. */
const ROUNDS_FOR_ABSENT = 4;
/** A batch on which a plugin throws again after the pipe started anew is poison. */
const POISON_FAILURES = 2;
const BACKOFF_FACTOR = 2;
const BACKOFF_JITTER_RATIO = 0.2;

export interface SenderParts {
  readonly settings: SenderSettings;
  readonly queue: Queue;
  readonly channel: Channel;
  readonly forwarder: Forwarder;
  readonly fallbacker: Fallbacker;
  readonly processor: Processor;
  readonly recovery: Recovery;
  readonly settlement: Settlement;
  readonly metrics: PipeMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly isOrdered: boolean;
  /** Events left the queue. */
  readonly onRoom: () => void;
  /** Nothing is pending, waiting or on its way any more. */
  readonly onIdle: () => void;
}

export class Sender implements QueueConsumer, BatchSink, ClientCallHandler {
  private readonly parts: SenderParts;
  private readonly lanes: Lane[] = [];
  private readonly attemptParts: AttemptParts;
  private readonly attempts = new Set<Attempt>();
  /** Batches that wait for an endpoint, or for the token. */
  private readonly waiting = new Ring<Batch>();
  /** Batches between two rounds. */
  private readonly sleeping = new Map<Batch, Timer>();
  private readonly tokenHold: TokenHold;
  private isStopped = false;
  private unsubscribe: (() => void) | null = null;

  constructor(parts: SenderParts) {
    this.parts = parts;
    this.attemptParts = {
      clock: parts.clock,
      wheel: new TimerWheel(parts.clock),
      channel: parts.channel,
      forwarder: parts.forwarder,
      handler: this,
      stallTimeoutMs: parts.settings.stallTimeoutMs,
    };
    this.tokenHold = new TokenHold(parts.clock, parts.log, (excluded) => this.sendProbe(excluded));
    const laneParts = { ...parts, sink: this };
    const maxEvents = parts.forwarder.callUnit === 'event' ? 1 : parts.settings.maxEvents;
    if (parts.isOrdered) {
      for (let partition = 0; partition < parts.queue.partitions; partition++) {
        this.lanes.push(new Lane(laneParts, partition, 1, () => 1, maxEvents));
      }
    } else {
      const { settings, channel } = parts;
      const maxOut = (): number => maxInFlightFor(settings, channel.endpoints().length);
      this.lanes.push(new Lane(laneParts, 0, parts.queue.partitions, maxOut, maxEvents));
    }
  }

  start(): void {
    const { channel, queue, recovery } = this.parts;
    recovery.onRestart = () => {
      this.onEndpointReady();
      this.pump();
      this.parts.onRoom();
    };
    this.unsubscribe = channel.subscribe(() => {
      this.onEndpointReady();
    });
    if (!isDurableQueue(queue)) return;
    for (let partition = 0; partition < queue.partitions; partition++) {
      this.laneOfPartition(partition).onFound(queue.found(partition));
    }
    this.pump();
  }

  // --- for a durable queue ---

  /** There may be something to send. */
  pump(): void {
    for (const lane of this.lanes) lane.pump();
  }

  onLost(partition: number, totals: QueueTotals): void {
    this.laneOfPartition(partition).onLost(totals);
  }

  // --- for the gatherer ---

  onOffered(event: Event): void {
    this.laneOf(event).onOffered(event);
  }

  takeOldest(partition: number): Event | undefined {
    if (partition >= 0) return this.laneOfPartition(partition).takeOldest(partition);
    for (const lane of this.lanes) {
      const event = lane.takeOldest(-1);
      if (event !== undefined) return event;
    }
    return undefined;
  }

  takeOldestOf(account: SourceAccount, partition: number): Event | undefined {
    try {
      const event = this.parts.queue.takeOf(account, partition);
      if (event !== undefined) this.laneOf(event).onTaken(event);
      return event;
    } catch (error) {
      this.parts.recovery.onException('queue', error);
      return undefined;
    }
  }

  // --- figures ---

  get pendingBytes(): number {
    let bytes = 0;
    for (const lane of this.lanes) bytes += lane.pendingBytes;
    return bytes;
  }

  /** Batches cut and not settled. */
  get batchesOut(): number {
    let out = 0;
    for (const lane of this.lanes) out += lane.out;
    return out;
  }

  /** Batches that wait for an endpoint, a token or their next round. */
  get batchesWaiting(): number {
    return this.waiting.length + this.sleeping.size;
  }

  /** Clock time at which the oldest event not settled was received, before the start for a backlog; Infinity without one. */
  get oldestReceivedMs(): number {
    let oldestMs = Infinity;
    for (const lane of this.lanes) oldestMs = Math.min(oldestMs, lane.peek()?.receivedMs ?? Infinity);
    for (const attempt of this.attempts) oldestMs = Math.min(oldestMs, attempt.batch.events[0]!.receivedMs);
    for (const batch of this.sleeping.keys()) oldestMs = Math.min(oldestMs, batch.events[0]!.receivedMs);
    return Math.min(oldestMs, this.waiting.peek()?.events[0]!.receivedMs ?? Infinity);
  }

  get isIdle(): boolean {
    return this.lanes.every((lane) => lane.isIdle);
  }

  // --- the end ---

  /** Sends what there is without waiting for batches to fill. */
  drain(): void {
    this.parts.recovery.restart();
    for (const lane of this.lanes) {
      lane.isDraining = true;
      lane.pump();
    }
  }

  /** Gives everything up: calls are cancelled, and what is left is dropped, or stays with a durable queue. */
  stop(): void {
    this.isStopped = true;
    this.unsubscribe?.();
    this.tokenHold.stop();
    this.parts.recovery.close();
    for (const lane of this.lanes) lane.stop();
    for (const attempt of this.attempts) {
      attempt.abandon('shutting down');
      attempt.lease.settle(OUTCOME.neutral, null);
      this.giveUp(attempt.batch);
    }
    this.attempts.clear();
    while (this.waiting.length > 0) this.giveUp(this.waiting.shift()!);
    for (const [batch, timer] of this.sleeping) {
      timer.cancel();
      this.giveUp(batch);
    }
    this.sleeping.clear();
    for (const lane of this.lanes) {
      for (let batch = lane.takeReady(); batch !== undefined; batch = lane.takeReady()) this.settleUnsent(batch);
      if (this.parts.queue.isDurable) continue;
      for (let event = lane.takeOldest(-1); event !== undefined; event = lane.takeOldest(-1)) {
        this.parts.settlement.dropTaken(event, 'shutdown');
      }
    }
  }

  // --- sending ---

  dispatch(batch: Batch): void {
    if (this.isStopped) {
      this.giveUp(batch);
      return;
    }
    if (this.isHeld) this.waiting.push(batch);
    else this.send(batch);
  }

  private send(batch: Batch): void {
    const lease = this.parts.channel.lease(batch.wireBytes, batch.entries, batch.excluded);
    if (lease === null) {
      if (batch.excluded === null) this.waiting.push(batch);
      else this.onRoundOver(batch);
      return;
    }
    this.attempt(batch, lease);
  }

  /** Sends the first batch that waits, outside `excluded`, to see whether our token is taken. */
  private sendProbe(excluded: ReadonlySet<number> | null): boolean {
    const batch = this.waiting.peek();
    if (batch === undefined) return false;
    const lease = this.parts.channel.lease(batch.wireBytes, batch.entries, excluded);
    if (lease === null) return false;
    this.waiting.shift();
    const left = this.waiting.length;
    this.tokenHold.beginProbe();
    this.attempt(batch, lease);
    return this.waiting.length === left;
  }

  private attempt(batch: Batch, lease: Lease): void {
    const attempt = new Attempt(this.attemptParts, batch, lease);
    if (batch.attempts++ === 0) batch.firstSentMs = attempt.openedMs;
    this.attempts.add(attempt);
    try {
      if (attempt.start()) return;
    } catch (error) {
      attempt.abandon('a plugin of ours failed');
      this.attempts.delete(attempt);
      lease.settle(OUTCOME.neutral, null);
      this.onForwarderException(batch, error);
      return;
    }
    this.attempts.delete(attempt);
    lease.settle(OUTCOME.neutral, null);
    this.waiting.push(batch);
  }

  /** Nothing may be sent now: the token is refused, or a plugin has failed. */
  private get isHeld(): boolean {
    return this.tokenHold.isActive || this.parts.recovery.isStandingStill;
  }

  /** The first time the batch waits for the pipe to start anew; after that its poison is looked for. */
  private onForwarderException(batch: Batch, error: unknown): void {
    this.parts.recovery.onException('forwarder', error);
    if (++batch.pluginFailures < POISON_FAILURES) this.waiting.push(batch);
    else if (batch.messages > 1) this.bisect(batch);
    else this.drop(batch, 'plugin_failed');
  }

  /** An endpoint may be ready, or have a slot: as many waiting batches as it takes. */
  private onEndpointReady(): void {
    if (this.isHeld) {
      if (!this.parts.recovery.isStandingStill) this.tokenHold.onEndpointReady();
      return;
    }
    for (let count = this.waiting.length; count > 0; count--) {
      const left = this.waiting.length;
      this.send(this.waiting.shift()!);
      // It went back to the end of the line: no endpoint takes another.
      if (this.waiting.length >= left) return;
    }
  }

  // --- answers ---

  onMessage(): void {
    // Replies are empty in every protocol and not read: whatever is in one, a backend that says OK has the batch.
  }

  onStatus(call: ClientCall, status: Status): void {
    const attempt = call.state as Attempt | null;
    if (attempt === null) return;
    const batch = attempt.batch;
    attempt.finish();
    this.attempts.delete(attempt);
    const verdict = classifyStatus(status);
    attempt.lease.settle(this.outcomeFor(batch, verdict), status);
    if (verdict !== VERDICT.refusesToken && this.tokenHold.lift()) this.onEndpointReady();
    if (verdict === VERDICT.delivered) {
      const answerMs = this.parts.clock.now() - attempt.openedMs;
      this.parts.recovery.onDelivered();
      this.tellForwarder(batch, attempt, answerMs);
      this.parts.settlement.deliver(batch);
      this.onSettled(batch);
    } else {
      this.onFailure(batch, attempt.lease.endpoint, verdict, status);
    }
  }

  private outcomeFor(batch: Batch, verdict: Verdict): Outcome {
    // All refuse our token, so it is none's fault. One that refuses it while others take it is of no use, and left out.
    if (verdict === VERDICT.refusesToken && this.tokenHold.isActive) return OUTCOME.neutral;
    return outcomeOf(verdict, batch.suspicions === 0 && !batch.isPartial);
  }

  private tellForwarder(batch: Batch, attempt: Attempt, answerMs: number): void {
    try {
      this.parts.forwarder.onDelivered(batch, attempt.lease.endpoint, answerMs);
    } catch (error) {
      this.parts.recovery.onException('forwarder', error);
    }
  }

  private onFailure(batch: Batch, endpoint: EndpointView, verdict: Verdict, status: Status): void {
    const { log, settings } = this.parts;
    log.repeated('warn', `send-${status.code}`, 'a batch was not taken', {
      endpoint: endpoint.address,
      status: statusName(status.code),
      entries: String(batch.entries),
      detail: status.message,
    });
    const isDataFault = verdict === VERDICT.badData || this.isSuspicionConfirmed(batch, endpoint.id, verdict);
    if (!settings.retry.isEnabled) {
      this.fail(batch, isDataFault ? 'rejected' : 'retry_expired');
    } else if (isDataFault) {
      this.isolate(batch, status);
    } else if (this.isExpired(batch)) {
      this.fail(batch, 'retry_expired');
    } else {
      batch.excluded ??= new Set();
      batch.excluded.add(endpoint.id);
      if (verdict === VERDICT.refusesMethod) (batch.refusedMethod ??= new Set()).add(endpoint.id);
      if (verdict === VERDICT.refusesToken) (batch.refusedToken ??= new Set()).add(endpoint.id);
      this.countRetry(batch, causeOf(verdict), status);
      this.send(batch);
    }
  }

  private isSuspicionConfirmed(batch: Batch, endpointId: number, verdict: Verdict): boolean {
    if (verdict !== VERDICT.suspectData) return false;
    batch.suspicions++;
    batch.suspectedBy ??= new Set();
    batch.suspectedBy.add(endpointId);
    if (batch.suspectedBy.size < SUSPECTING_ENDPOINTS && batch.suspicions < SUSPICIONS_OF_FEW) return false;
    // A message that stands alone would be dropped: first every other endpoint is asked.
    const { suspectedBy } = batch;
    const isJudged = (endpoint: EndpointView): boolean => suspectedBy.has(endpoint.id) || !endpoint.isReady;
    return batch.messages > 1 || this.parts.channel.endpoints().every(isJudged);
  }

  /** The data is at fault: halves the batch until the guilty message stands alone, and drops that one. */
  private isolate(batch: Batch, status: Status): void {
    if (batch.messages === 1) {
      this.fail(batch, 'rejected');
      return;
    }
    this.countRetry(batch, 'data', status);
    this.bisect(batch);
  }

  private bisect(batch: Batch): void {
    const lane = this.laneOf(batch.events[0]!);
    const [first, second] = batch.bisect();
    first.pluginFailures = batch.pluginFailures;
    second.pluginFailures = batch.pluginFailures;
    lane.onBisected(first, second);
  }

  /** Every endpoint that is ready has failed this batch. */
  private onRoundOver(batch: Batch): void {
    batch.excluded = null;
    batch.rounds++;
    // A probe that nobody else takes is over, whoever else there may be.
    if (this.tokenHold.isProbing || this.isRefusedByAll(batch, batch.refusedToken)) {
      this.waiting.unshift(batch);
      this.tokenHold.begin(batch.refusedToken);
      batch.refusedToken = null;
    } else if (this.isRefusedByAll(batch, batch.refusedMethod)) {
      this.fail(batch, 'unimplemented');
    } else {
      const { retry } = this.parts.settings;
      batch.backoff ??= new Backoff(
        { initialMs: retry.initialMs, maxMs: retry.maxMs, factor: BACKOFF_FACTOR, jitterRatio: BACKOFF_JITTER_RATIO },
        this.parts.random,
      );
      this.sleep(batch, batch.backoff.nextMs());
    }
  }

  /** Endpoints that are not ready are waited for, then have no say. */
  private isRefusedByAll(batch: Batch, refusals: ReadonlySet<number> | null): boolean {
    if (refusals === null) return false;
    const isPatient = batch.rounds < ROUNDS_FOR_ABSENT;
    return this.parts.channel
      .endpoints()
      .every((endpoint) => refusals.has(endpoint.id) || (!endpoint.isReady && !isPatient));
  }

  private sleep(batch: Batch, delayMs: number): void {
    const timer = this.parts.clock.setTimer(delayMs, () => {
      this.sleeping.delete(batch);
      this.dispatch(batch);
    });
    this.sleeping.set(batch, timer);
  }

  private isExpired(batch: Batch): boolean {
    const { maxElapsedMs } = this.parts.settings.retry;
    return maxElapsedMs > 0 && this.parts.clock.now() - batch.firstSentMs >= maxElapsedMs;
  }

  private countRetry(batch: Batch, cause: RetryCause, status: Status): void {
    this.parts.metrics.retries[cause].value++;
    if (!status.isUnprocessed) this.parts.metrics.duplicates.value += batch.entries;
  }

  // --- settling ---

  private fail(batch: Batch, reason: DropReason): void {
    const delayMs = this.askFallbacker(batch);
    if (delayMs >= 0) {
      batch.fallbacks++;
      batch.excluded = null;
      this.parts.metrics.retries.fallback.value++;
      this.sleep(batch, delayMs);
      return;
    }
    this.drop(batch, reason);
  }

  private askFallbacker(batch: Batch): number {
    try {
      return this.parts.fallbacker.nextTryMs(batch.fallbacks + 1);
    } catch (error) {
      this.parts.recovery.onException('fallbacker', error);
      return -1;
    }
  }

  private drop(batch: Batch, reason: DropReason): void {
    this.parts.settlement.drop(batch, reason);
    this.parts.log.repeated('warn', `drop-${reason}`, 'data dropped', { reason });
    this.onSettled(batch);
  }

  /** The deadline of the shutdown has come. */
  private giveUp(batch: Batch): void {
    this.settleUnsent(batch);
    this.onSettled(batch);
  }

  private settleUnsent(batch: Batch): void {
    if (this.parts.queue.isDurable) this.parts.settlement.leaveToQueue(batch);
    else this.parts.settlement.drop(batch, 'shutdown');
  }

  private onSettled(batch: Batch): void {
    this.laneOf(batch.events[0]!).onSettled();
    this.parts.onRoom();
    if (this.isIdle) this.parts.onIdle();
  }

  private laneOf(event: Event): Lane {
    return this.laneOfPartition(event.partition);
  }

  private laneOfPartition(partition: number): Lane {
    return this.lanes[this.parts.isOrdered ? partition : 0]!;
  }
}
