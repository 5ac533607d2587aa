/**
 * HOT. What one endpoint has to do, and how fast it has been: the figures that the picker compares.
 */
import { DecayingSum } from './decaying-sum.js';

/** Memory of share and speed: long enough to even out single batches, short enough to follow a change in seconds. */
const HALF_LIFE_MS = 5_000;

/**
 * Fixed cost of a call, expressed in bytes: without it a tiny call, whose time is all round trip, would look like a very
 * slow byte. About what an OAP takes in during the fixed part of a call.
 */
const CALL_OVERHEAD_BYTES = 16_384;

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
  /** Bytes given in the recent past, settled or not. */
  private readonly given = new DecayingSum(HALF_LIFE_MS);
  /** Milliseconds and bytes of recent calls that ended OK; their ratio does not decay, so it lasts through a silence. */
  private readonly okTime = new DecayingSum(HALF_LIFE_MS);
  private readonly okBytes = new DecayingSum(HALF_LIFE_MS);
  /** Ratio of the two; 0 before the first OK. */
  private msPerByte = 0;
  /** Outstanding batches, oldest first. */
  private oldest: OutstandingBatch | null = null;
  private newest: OutstandingBatch | null = null;

  /** Call time per byte of recent OK calls; 0 when unknown. */
  get timePerByte(): number {
    return this.msPerByte;
  }

  /** Start of the batch that has waited longest; Infinity when none is out. */
  get oldestStartMs(): number {
    return this.oldest === null ? Infinity : this.oldest.startedMs;
  }

  /** Bytes given in the recent past. */
  givenBytes(nowMs: number): number {
    return this.given.at(nowMs);
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

  /** A call ended OK. Other endings say nothing about speed: a refusal is fast. */
  learn(bytes: number, elapsedMs: number, nowMs: number): void {
    this.okTime.add(elapsedMs, nowMs);
    this.okBytes.add(bytes + CALL_OVERHEAD_BYTES, nowMs);
    this.msPerByte = this.okTime.at(nowMs) / this.okBytes.at(nowMs);
  }

  /**
   * Joins, or comes back after an absence: starts with the others' mean of bytes given, else it would be owed all that it
   * missed and be flooded; `weight` is its slowness (see `weigh`), by which its normal share is smaller. An endpoint
   * without a past also takes over the others' mean of speed, so that its first calls, often cold, do not define it.
   */
  join(others: readonly EndpointLoad[], weight: number, nowMs: number): void {
    let given = 0;
    let okTime = 0;
    let okBytes = 0;
    for (let index = 0; index < others.length; index++) {
      const other = others[index]!;
      given += other.given.at(nowMs);
      okTime += other.okTime.at(nowMs);
      okBytes += other.okBytes.at(nowMs);
    }
    const count = Math.max(1, others.length);
    this.given.set(Math.max(this.given.at(nowMs), given / count / weight), nowMs);
    if (this.msPerByte !== 0 || okBytes === 0) return;
    this.okTime.set(okTime / count, nowMs);
    this.okBytes.set(okBytes / count, nowMs);
    this.msPerByte = okTime / okBytes;
  }
}
