/**
 * HOT. How much of a pipe's room each source holds, so that the last of it is not taken by one alone. A source is a peer
 * host: all its streams and calls together. Sources that hold nothing count too: the reserve is for them.
 */

/** A source is greedy when it holds more than this many times what the others hold on average. */
const GREED = 2;

/** Share of queue and memory budget that a greedy source may fill; the rest is kept for the others. */
export const GREEDY_SHARE = 7 / 8;

/** What one source holds. */
export class SourceAccount {
  readonly host: string;
  heldBytes = 0;
  /** Its open calls. */
  calls = 0;

  constructor(host: string) {
    this.host = host;
  }
}

export class FairShares {
  private readonly accounts = new Map<string, SourceAccount>();
  private heldBytes = 0;

  /** A call of `host` opened. @order `leave` when it ends. */
  join(host: string): SourceAccount {
    let account = this.accounts.get(host);
    if (account === undefined) {
      account = new SourceAccount(host);
      this.accounts.set(host, account);
    }
    account.calls++;
    return account;
  }

  leave(account: SourceAccount): void {
    account.calls--;
    this.forgetIdle(account);
  }

  hold(account: SourceAccount, bytes: number): void {
    account.heldBytes += bytes;
    this.heldBytes += bytes;
  }

  release(account: SourceAccount, bytes: number): void {
    account.heldBytes -= bytes;
    this.heldBytes -= bytes;
    this.forgetIdle(account);
  }

  /** Alone it never is. */
  isGreedy(account: SourceAccount): boolean {
    const others = this.accounts.size - 1;
    return account.heldBytes * others > GREED * (this.heldBytes - account.heldBytes) && others > 0;
  }

  private forgetIdle(account: SourceAccount): void {
    if (account.calls === 0 && account.heldBytes === 0) this.accounts.delete(account.host);
  }
}
