/**
 * HOT. The process's one memory budget, in pinned bytes: reassembly, inflation, identifiers, windows, queues and batches
 * all reserve here before they keep bytes and release when they let go.
 */
export class MemoryBudget {
  readonly limitBytes: number;
  private reserved = 0;
  private peak = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Bytes reserved now. */
  get usedBytes(): number {
    return this.reserved;
  }

  /** Most bytes ever reserved at once. */
  get peakBytes(): number {
    return this.peak;
  }

  /** Reserves `bytes` if they fit; false leaves everything as it was. */
  tryReserve(bytes: number): boolean {
    if (this.reserved + bytes > this.limitBytes) return false;
    this.reserve(bytes);
    return true;
  }

  /** Reserves without asking: for bytes that are already here (a message being completed). */
  reserve(bytes: number): void {
    this.reserved += bytes;
    if (this.reserved > this.peak) this.peak = this.reserved;
  }

  release(bytes: number): void {
    this.reserved -= bytes;
  }
}
