/** HOT. Where a server's or a dialer's incomplete and inflating messages are counted, in pinned bytes. */

/** The part of the process's memory budget that this layer needs. */
export interface ByteBudget {
  reserve(bytes: number): void;
  release(bytes: number): void;
}

/**
 * One meter is shared by all connections of an owner. It reserves in the budget without asking, because the bytes are
 * here already and credit for an incomplete message must be given in any case; its own limit is what stops many peers
 * from each starting a huge message.
 */
export class ReassemblyMeter {
  readonly limitBytes: number;
  private readonly budget: ByteBudget | null;
  private used = 0;

  constructor(limitBytes: number, budget: ByteBudget | null) {
    this.limitBytes = limitBytes;
    this.budget = budget;
  }

  /** Bytes of incomplete, waiting or inflating messages now. */
  get usedBytes(): number {
    return this.used;
  }

  /** Adds `bytes`, whatever the limit. @returns false when the total is above the limit: the caller's call must end. */
  charge(bytes: number): boolean {
    this.used += bytes;
    if (this.budget !== null) this.budget.reserve(bytes);
    return this.used <= this.limitBytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
    if (this.budget !== null) this.budget.release(bytes);
  }
}
