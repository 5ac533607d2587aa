/**
 * HOT. What one endpoint has to do, and how fast it has been: the figures that the picker compares.
 */
import { CallSpeed } from './call-speed.js';
import { DecayingSum } from '../../base/index.js';

/** Memory of the share: long enough to even out single batches, short enough to follow a change in seconds. */
const HALF_LIFE_MS = 10_000;

/**
 * A process that has just started, or come back, gets so many batches at first, and one more at once with each that it
 * answers with OK: whatever backlog there is, it sets the pace itself.
 */
const FIRST_BATCHES = 1;

/** A batch on its way, as the load sees it: a node in the list of outstanding batches. */
export interface OutstandingBatch {
  readonly bytes: number;
  readonly startedMs: number;
  previous: OutstandingBatch | null;
  next: OutstandingBatch | null;
}

/** Figures of one endpoint. */
export class EndpointLoad {
  /** Bytes of batches given and not settled. */
  inFlightBytes = 0;
  inFlightBatches = 0;
  /** Of its calls. */
  readonly speed = new CallSpeed();
  /** Batches that it may hold at once: slow start. */
  private allowedBatches = FIRST_BATCHES;
  /** Bytes given in the recent past, settled or not. */
  private readonly given = new DecayingSum(HALF_LIFE_MS);
  /** Outstanding batches, oldest first. */
  private oldest: OutstandingBatch | null = null;
  private newest: OutstandingBatch | null = null;

  /** The batch that has waited longest for its answer; null when none is out. */
  get oldestBatch(): OutstandingBatch | null {
    return this.oldest;
  }

  get mayHoldMore(): boolean {
    return this.inFlightBatches < this.allowedBatches;
  }

  /** Bytes given in the recent past. */
  givenBytes(nowMs: number): number {
    return this.given.at(nowMs);
  }

  /** It has only just begun to take batches, or to take them again. What it holds from before is beside the point. */
  startSlowly(): void {
    this.allowedBatches = this.inFlightBatches + FIRST_BATCHES;
  }

  /** It answered a batch with OK. */
  onOk(): void {
    this.allowedBatches++;
  }

  /** A batch was given to the endpoint. */
  begin(batch: OutstandingBatch): void {
    this.inFlightBytes += batch.bytes;
    this.inFlightBatches++;
    this.given.add(batch.bytes, batch.startedMs);
    batch.previous = this.newest;
    batch.next = null;
    if (this.newest === null) this.oldest = batch;
    else this.newest.next = batch;
    this.newest = batch;
  }

  /** The batch is settled, whatever its outcome. */
  end(batch: OutstandingBatch): void {
    this.inFlightBytes -= batch.bytes;
    this.inFlightBatches--;
    if (batch.previous === null) this.oldest = batch.next;
    else batch.previous.next = batch.next;
    if (batch.next === null) this.newest = batch.previous;
    else batch.next.previous = batch.previous;
    batch.previous = null;
    batch.next = null;
  }

  /**
   * Joins, or comes back after an absence: starts with the others' mean of bytes given, else it would be owed all that it
   * missed and be flooded; `weight` is its slowness (see `weigh`), by which its normal share is smaller. Without a past
   * of its own it also takes over their mean of speed.
   */
  join(others: readonly EndpointLoad[], weight: number, nowMs: number): void {
    if (others.length === 0) return;
    let given = 0;
    for (const other of others) given += other.given.at(nowMs);
    this.given.set(Math.max(this.given.at(nowMs), given / others.length / weight), nowMs);
    if (this.speed.msPerByte !== 0) return;
    this.speed.adoptMean(
      others.map((other) => other.speed),
      nowMs,
    );
  }
}
