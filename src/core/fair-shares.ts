/**
 * HOT. How much of a pipe's room each source holds, so that the last of it is not taken by one alone. A source is a peer
 * host: all its streams and calls together. Sources that hold nothing count too: the reserve is for them.
 */

/** A source is greedy when it holds more than this many times what the others hold on average. */
const GREED = 2;

/** Share of queue and memory budget that a greedy source may fill; the rest is kept for the others. */
export const GREEDY_SHARE = 7 / 8;

/** What one source holds: in memory, or in files of a queue on disk. */
export class SourceAccount {
  readonly host: string;
  private readonly shares: FairShares;
  private heldBytes = 0;
  private calls = 0;

  constructor(host: string, shares: FairShares) {
    this.host = host;
    this.shares = shares;
  }

  /** Alone it never is. */
  get isGreedy(): boolean {
    const others = this.shares.sources - 1;
    return this.heldBytes * others > GREED * (this.shares.heldBytes - this.heldBytes) && others > 0;
  }

  hold(bytes: number): void {
    this.heldBytes += bytes;
    this.shares.heldBytes += bytes;
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
    this.shares.heldBytes -= bytes;
    this.forgetIdle();
  }

  /** A call of it opened. @order `leave` when it ends. */
  join(): this {
    this.calls++;
    return this;
  }

  leave(): void {
    this.calls--;
    this.forgetIdle();
  }

  private forgetIdle(): void {
    if (this.calls === 0 && this.heldBytes === 0) this.shares.forget(this);
  }
}

export class FairShares {
  /** Of all sources. */
  heldBytes = 0;
  private readonly accounts = new Map<string, SourceAccount>();

  get sources(): number {
    return this.accounts.size;
  }

  /** A call of `host` opened. */
  join(host: string): SourceAccount {
    let account = this.accounts.get(host);
    if (account === undefined) {
      account = new SourceAccount(host, this);
      this.accounts.set(host, account);
    }
    return account.join();
  }

  forget(account: SourceAccount): void {
    this.accounts.delete(account.host);
  }
}
