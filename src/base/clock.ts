/** A pending timer; `cancel` is idempotent and safe from inside its own callback. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as a parameter: every part that waits or measures takes a Clock, so that tests advance it by hand.
 * @units `now` is monotonic milliseconds (fractions allowed) since an arbitrary start; `wallNow` is Unix milliseconds.
 */
export interface Clock {
  now(): number;
  wallNow(): number;
  /**
   * Calls `callback` once, not earlier than `delayMs` from now (24 days at most). Timers never keep the process alive by
   * themselves.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Node's own limit; a longer delay would fire at once. */
const MAX_DELAY_MS = 0x7fff_ffff;

class SystemTimer implements Timer {
  private readonly handle: NodeJS.Timeout;

  constructor(delayMs: number, callback: () => void) {
    // Node counts in whole milliseconds and drops fractions at both ends: one more keeps a timer from firing early.
    this.handle = setTimeout(callback, Math.min(Math.ceil(delayMs) + 1, MAX_DELAY_MS));
    this.handle.unref();
  }

  cancel(): void {
    clearTimeout(this.handle);
  }
}

/** The clock of the running process. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  setTimer: (delayMs, callback) => new SystemTimer(delayMs, callback),
};
