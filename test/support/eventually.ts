/** Waiting for the outside world: other programs say nothing when they are done, so tests ask them until they are. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** What is waited for, for the message of the failure. */
  readonly until: string;
  readonly withinMs: number;
  readonly everyMs?: number;
}

/**
 * Calls `read` until it gives something other than `undefined`, and returns that.
 * @throws After `withinMs`, naming what never came and what `read` last threw.
 */
export async function eventually<T>(
  patience: Patience,
  read: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + patience.withinMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined) return value;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${patience.withinMs} ms: ${patience.until}`, { cause });
    }
    await sleep(patience.everyMs ?? 100);
  }
}

/** Reads a number until it has stayed the same for `quietMs`, and returns it. */
export async function settled(patience: Patience & { quietMs: number }, read: () => Promise<number>): Promise<number> {
  let last = Number.NaN;
  let since = 0;
  return eventually(patience, async () => {
    const value = await read();
    const now = performance.now();
    if (value !== last) {
      last = value;
      since = now;
      return undefined;
    }
    return now - since >= patience.quietMs ? value : undefined;
  });
}
