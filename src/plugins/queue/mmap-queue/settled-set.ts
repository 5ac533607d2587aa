/** HOT. Which records of a segment are settled: those under a mark, and some above it. */
import { QueueTotals } from '../../../core/queue-totals.js';

export class SettledSet {
  /** Every number under it is settled. */
  below = 0;
  readonly above = new Set<number>();
  /** Of all that are settled. */
  readonly totals = new QueueTotals();

  add(index: number): void {
    if (index !== this.below) {
      this.above.add(index);
      return;
    }
    this.below++;
    while (this.above.size > 0 && this.above.delete(this.below)) this.below++;
  }

  has(index: number): boolean {
    return index < this.below || this.above.has(index);
  }
}
