/** Buckets of 1 ms up to here, then ever coarser: the resolution stays below 1 %. */
const FINE_MS = 1024;
const STEP_MS = 16;
/** Highest bucket; what took longer counts as that long. @units ms */
const LIMIT_MS = 120_000;
const BUCKETS = FINE_MS + Math.ceil((LIMIT_MS - FINE_MS) / STEP_MS) + 1;

/** Durations in milliseconds, mergeable across processes. */
export class LatencyHistogram {
  private readonly counts: Uint32Array;
  private total = 0;

  constructor(counts: Uint32Array = new Uint32Array(BUCKETS)) {
    this.counts = new Uint32Array(BUCKETS);
    this.add(counts);
  }

  get count(): number {
    return this.total;
  }

  record(latencyMs: number): void {
    const ms = latencyMs < 0 ? 0 : latencyMs > LIMIT_MS ? LIMIT_MS : Math.round(latencyMs);
    const bucket = ms < FINE_MS ? ms : FINE_MS + Math.floor((ms - FINE_MS) / STEP_MS);
    this.counts[bucket]!++;
    this.total++;
  }

  /** Adds the buckets of another histogram (`toCounts`). */
  add(counts: Uint32Array): void {
    for (let bucket = 0; bucket < counts.length; bucket++) {
      const count = counts[bucket]!;
      this.counts[bucket]! += count;
      this.total += count;
    }
  }

  /** The value below which `ratio` of the durations lie; 0 without any. @units ms */
  percentile(ratio: number): number {
    const rank = Math.ceil(this.total * ratio);
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      seen += this.counts[bucket]!;
      if (seen >= rank && seen > 0) return bucket < FINE_MS ? bucket : FINE_MS + (bucket - FINE_MS) * STEP_MS;
    }
    return 0;
  }

  /** @ownership a copy, cut after its last used bucket. */
  toCounts(): Uint32Array {
    let end = BUCKETS;
    while (end > 0 && this.counts[end - 1] === 0) end--;
    return this.counts.slice(0, end);
  }

  reset(): void {
    this.counts.fill(0);
    this.total = 0;
  }
}
