/**
 * HOT. Exponentially weighted moving average over time: a sample's weight halves every `halfLifeMs`, whatever the rate
 * of samples. Reading never changes it.
 *
 *   value = Σ sample × weight / Σ weight      both sums shrink by ½ in each half-life, then take the new sample with 1
 *
 * So samples of one instant count alike, and after a silence the next sample outweighs all that came before it.
 */
export class Ewma {
  private readonly halfLifeMs: number;
  private average = 0;
  private weight = 0;
  private updatedMs = 0;

  constructor(halfLifeMs: number) {
    this.halfLifeMs = halfLifeMs;
  }

  /** False until the first sample or `reset` to a value. */
  get hasValue(): boolean {
    return this.weight > 0;
  }

  /** The average, or 0 before the first sample. */
  get value(): number {
    return this.average;
  }

  /** Takes one sample; a time older than the last one counts as simultaneous with it. */
  add(sample: number, nowMs: number): void {
    const elapsed = nowMs - this.updatedMs;
    if (elapsed > 0) {
      this.weight *= Math.pow(0.5, elapsed / this.halfLifeMs);
      this.updatedMs = nowMs;
    }
    this.weight++;
    this.average += (sample - this.average) / this.weight;
  }

  /** Starts anew from `value`, as if it were the first sample. */
  reset(value: number, nowMs: number): void {
    this.average = value;
    this.weight = 1;
    this.updatedMs = nowMs;
  }
}
