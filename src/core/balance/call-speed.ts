/** HOT. How fast calls have been, in time per byte, over the recent past. */
import { DecayingSum } from '../../base/index.js';

/** Memory: long enough to even out single calls, short enough to follow a change in seconds. */
const HALF_LIFE_MS = 5_000;

/**
 * Fixed cost of a call, expressed in bytes: without it a tiny call, whose time is all round trip, would look like a very
 * slow byte. About what an OAP takes in during the fixed part of a call.
 */
const CALL_OVERHEAD_BYTES = 16_384;

/** Learns from calls that ended OK only: a refusal is fast and says nothing. */
export class CallSpeed {
  private readonly time = new DecayingSum(HALF_LIFE_MS);
  private readonly bytes = new DecayingSum(HALF_LIFE_MS);
  /** Ratio of the two. Both decay alike, so it lasts through a silence. */
  private ratio = 0;

  /** 0 when unknown. */
  get msPerByte(): number {
    return this.ratio;
  }

  learn(bytes: number, elapsedMs: number, nowMs: number): void {
    this.time.add(elapsedMs, nowMs);
    this.bytes.add(bytes + CALL_OVERHEAD_BYTES, nowMs);
    this.ratio = this.time.at(nowMs) / this.bytes.at(nowMs);
  }

  /** Time that a call of `bytes` usually takes; 0 when unknown. */
  expectedMs(bytes: number): number {
    return this.ratio * (bytes + CALL_OVERHEAD_BYTES);
  }

  /** Unknown again. */
  forget(): void {
    this.time.set(0, 0);
    this.bytes.set(0, 0);
    this.ratio = 0;
  }

  /** Takes over the mean of others as if it were its own past, so that the next calls, often cold, do not define it. */
  adoptMean(others: readonly CallSpeed[], nowMs: number): void {
    let time = 0;
    let bytes = 0;
    for (const other of others) {
      time += other.time.at(nowMs);
      bytes += other.bytes.at(nowMs);
    }
    if (bytes === 0) return;
    this.time.set(time / others.length, nowMs);
    this.bytes.set(bytes / others.length, nowMs);
    this.ratio = time / bytes;
  }
}
