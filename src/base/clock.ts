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
  /** Calls `callback` once, not earlier than `delayMs` from now. Timers never keep the process alive by themselves. */
  setTimer(delayMs: number, callback: () => void): Timer;
}

class SystemTimer implements Timer {
  private readonly handle: NodeJS.Timeout;

  constructor(delayMs: number, callback: () => void) {
    this.handle = setTimeout(callback, delayMs);
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
