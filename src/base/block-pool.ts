/**
 * HOT. Memory for what is kept of the bytes read: blocks, cut from slabs front to back, and slabs used again when all
 * their blocks have been given back. So payload costs no allocation, and the collector does not see it.
 *
 *   slab:  [block|block|dead |block|…free…]      a block given back at the end frees its room at once; one before it is
 *                       ^ used by none            dead until the whole slab is
 *
 * A block that is never given back is memory that the collector takes with its last view, but what its neighbours in the
 * slab gave back stays charged for good.
 * @ownership A block belongs to its taker until it gives it back, once. Then its bytes change.
 */

/** The part of the process's memory budget that this layer needs. */
export interface ByteBudget {
  reserve(bytes: number): void;
  release(bytes: number): void;
}

/** Small enough that one block kept long pins little, large enough that sixteen messages of Envoy's size share it. */
const SLAB_BYTES = 256 * 1024;
/** A larger block would waste too much at the end of a slab. */
export const MAX_BLOCK_BYTES = 64 * 1024;
/** Free slabs kept: the swing between reads and settlements at full load. More go back to the system. */
const MAX_FREE_SLABS = 64;
/**
 * A block that is kept long (half a message of a source that hangs, an event of a pipe that stands) keeps a slab. Batches
 * that are settled out of their order leave less dead than this at full load.
 */
const MAX_DEAD_BYTES = 32 * 1024 * 1024;

/** A run of blocks; made by its pool only. */
export class Slab {
  readonly bytes = new Uint8Array(Buffer.allocUnsafeSlow(SLAB_BYTES).buffer);
  /** Bytes cut off its front. */
  used = 0;
  /** Of these, not given back. */
  live = 0;
  private readonly pool: BlockPool;

  constructor(pool: BlockPool) {
    this.pool = pool;
  }

  /** Gives back the block `[start, start + length)`, or the end of one. @order once for each byte. */
  giveBack(start: number, length: number): void {
    this.pool.giveBack(this, start, length);
  }
}

export class BlockPool {
  /** Where the block taken last begins in its slab. */
  start = 0;
  private readonly budget: ByteBudget | null;
  private current: Slab | null = null;
  private deadBytes = 0;
  private readonly free: Slab[] = [];

  /** `budget` is charged for dead bytes; those of blocks are charged by who holds them. */
  constructor(budget: ByteBudget | null) {
    this.budget = budget;
  }

  /** So much is dead that what is kept now had better lie by itself, and pin no more. */
  get isStrewn(): boolean {
    return this.deadBytes > MAX_DEAD_BYTES;
  }

  /** Cuts off a block of at most `MAX_BLOCK_BYTES`, which begins at `start` of the slab returned. */
  take(length: number): Slab {
    let slab = this.current;
    if (slab === null || slab.used + length > SLAB_BYTES) slab = this.openSlab();
    this.start = slab.used;
    slab.used += length;
    slab.live += length;
    return slab;
  }

  giveBack(slab: Slab, start: number, length: number): void {
    slab.live -= length;
    if (start + length === slab.used && slab === this.current) slab.used = start;
    else this.bury(length);
    if (slab.live === 0) this.empty(slab);
  }

  private openSlab(): Slab {
    const full = this.current;
    const slab = this.free.pop() ?? new Slab(this);
    this.current = slab;
    if (full !== null) {
      // What is left of it can be used by none.
      this.bury(SLAB_BYTES - full.used);
      full.used = SLAB_BYTES;
      if (full.live === 0) this.empty(full);
    }
    return slab;
  }

  private bury(bytes: number): void {
    this.deadBytes += bytes;
    if (this.budget !== null) this.budget.reserve(bytes);
  }

  /** All of its used bytes are dead. */
  private empty(slab: Slab): void {
    this.deadBytes -= slab.used;
    if (this.budget !== null) this.budget.release(slab.used);
    slab.used = 0;
    if (slab !== this.current && this.free.length < MAX_FREE_SLABS) this.free.push(slab);
  }
}
