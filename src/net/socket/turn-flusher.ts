/**
 * HOT. Collects the connections that got output in this turn of the event loop and lets each write it once, when all
 * reads of the turn have been handled. So a turn that reads from fifty sources and sends to one endpoint makes one
 * write, however many frames it has.
 */

export interface FlushTarget {
  flush(): void;
}

export class TurnFlusher {
  private targets: FlushTarget[] = [];
  private spare: FlushTarget[] = [];
  private readonly onTurnEnd = (): void => {
    const targets = this.targets;
    // A flush may make new output (a drained write): that is for the next turn.
    this.targets = this.spare;
    this.spare = targets;
    for (let index = 0; index < targets.length; index++) targets[index]!.flush();
    targets.length = 0;
  };

  /** @order at most once per target until its flush has begun. */
  schedule(target: FlushTarget): void {
    if (this.targets.push(target) === 1) setImmediate(this.onTurnEnd);
  }
}

/** One per process, as the event loop is. */
export const turnFlusher = new TurnFlusher();
