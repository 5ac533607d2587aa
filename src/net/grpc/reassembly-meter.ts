/** HOT. Where a server's or a dialer's incomplete and inflating messages get their memory and are counted. */
import { BlockPool, type ByteBudget } from '../../base/index.js';

/**
 * A message of at most this size is not what fills the memory: an Envoy's first one, with a stock identifier, has 129 KB.
 */
const MODEST_BYTES = 256 * 1024;
/** So many times the limit may be used before modest messages are refused too. */
const MODEST_RATIO = 1.5;

/**
 * One meter is shared by all connections of an owner. It reserves in the budget without asking, because the bytes are
 * here already and credit for an incomplete message must be given in any case; its own limit is what stops many peers
 * from each starting a huge message. Beyond the limit it is the large messages whose calls end: a peer that fills the
 * memory with them must not end the calls of its neighbours, which have a reserve.
 */
export class ReassemblyMeter {
  readonly limitBytes: number;
  /** For messages, complete or not. */
  readonly blocks: BlockPool;
  private readonly budget: ByteBudget | null;
  private used = 0;

  constructor(limitBytes: number, budget: ByteBudget | null) {
    this.limitBytes = limitBytes;
    this.budget = budget;
    this.blocks = new BlockPool(budget);
  }

  /** Bytes of incomplete, waiting or inflating messages now. */
  get usedBytes(): number {
    return this.used;
  }

  /**
   * Adds `bytes`, whatever the limit. `heldBytes`: all that the message holds, these included.
   * @returns false when the total is above the limit that such a message has: the caller's call must end.
   */
  charge(bytes: number, heldBytes: number): boolean {
    this.used += bytes;
    if (this.budget !== null) this.budget.reserve(bytes);
    return this.used <= (heldBytes <= MODEST_BYTES ? this.limitBytes * MODEST_RATIO : this.limitBytes);
  }

  release(bytes: number): void {
    this.used -= bytes;
    if (this.budget !== null) this.budget.release(bytes);
  }
}
