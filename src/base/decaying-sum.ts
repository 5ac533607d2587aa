/**
 * HOT. A sum that forgets: each amount counts half as much after every `halfLifeMs`; two of them, of values and of weights,
 * make an exponentially weighted mean (EWMA) that depends on time, not on the number of samples. Reading never changes it.
 */
export class DecayingSum {
  private readonly halfLifeMs: number;
  private amount = 0;
  private updatedMs = 0;

  constructor(halfLifeMs: number) {
    this.halfLifeMs = halfLifeMs;
  }

  /** What is left of all amounts at `nowMs`. */
  at(nowMs: number): number {
    return nowMs <= this.updatedMs
      ? this.amount
      : this.amount * Math.pow(0.5, (nowMs - this.updatedMs) / this.halfLifeMs);
  }

  add(amount: number, nowMs: number): void {
    this.set(this.at(nowMs) + amount, nowMs);
  }

  /** Forgets the past in favour of `amount`. */
  set(amount: number, nowMs: number): void {
    this.amount = amount;
    this.updatedMs = Math.max(this.updatedMs, nowMs);
  }
}
