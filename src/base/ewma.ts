/**
 * HOT. Exponentially weighted moving average over time: a sample's weight halves every `halfLifeMs`, whatever the rate
 * of samples. Reading never changes it.
 */
export class Ewma {
  private readonly halfLifeMs: number;
  private average = 0;
  private updatedMs = 0;
  private samples = 0;

  constructor(halfLifeMs: number) {
    this.halfLifeMs = halfLifeMs;
  }

  /** False until the first sample or `reset` to a value. */
  get hasValue(): boolean {
    return this.samples > 0;
  }

  /** The average, or 0 before the first sample. */
  get value(): number {
    return this.average;
  }

  /** Takes one sample; a time older than the last one counts as simultaneous with it. */
  add(sample: number, nowMs: number): void {
    if (this.samples === 0) {
      this.average = sample;
    } else {
      const elapsed = Math.max(0, nowMs - this.updatedMs);
      // At least one sixteenth, so that a burst of samples in one instant still moves the average.
      const weight = Math.max(1 - Math.pow(0.5, elapsed / this.halfLifeMs), 1 / 16);
      this.average += (sample - this.average) * weight;
    }
    this.updatedMs = Math.max(this.updatedMs, nowMs);
    this.samples++;
  }

  /** Starts anew from `value`, as if it were the first sample. */
  reset(value: number, nowMs: number): void {
    this.average = value;
    this.updatedMs = nowMs;
    this.samples = 1;
  }
}
