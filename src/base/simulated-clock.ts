import type { Clock, Timer } from './clock.js';

interface SimulatedTimer extends Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when told to. Timers run in order of their due time, then of their creation; a callback sees
 * `now` at exactly its due time and may set or cancel timers.
 */
export class SimulatedClock implements Clock {
  private nowMs: number;
  private wallOffsetMs: number;
  private nextOrder = 0;
  private readonly timers = new Set<SimulatedTimer>();

  constructor(startMs = 0, wallStartMs = 1_700_000_000_000) {
    this.nowMs = startMs;
    this.wallOffsetMs = wallStartMs - startMs;
  }

  now(): number {
    return this.nowMs;
  }

  wallNow(): number {
    return this.nowMs + this.wallOffsetMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer: SimulatedTimer = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: this.nextOrder++,
      callback,
      cancel: () => {
        this.timers.delete(timer);
      },
    };
    this.timers.add(timer);
    return timer;
  }

  /** Sets the wall clock forward, or back, as an administrator or NTP does; nothing else moves. */
  stepWall(deltaMs: number): void {
    this.wallOffsetMs += deltaMs;
  }

  /** Timers set and not yet run or cancelled. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** Time passes while the process stands still: timers that fall due run late, in the next `advance`. */
  standStill(deltaMs: number): void {
    this.nowMs += deltaMs;
  }

  /** Moves time forward by `deltaMs`, running every timer that falls due on the way. */
  advance(deltaMs: number): void {
    const endMs = this.nowMs + deltaMs;
    for (;;) {
      const next = this.earliest(endMs);
      if (next === undefined) break;
      this.timers.delete(next);
      this.nowMs = Math.max(this.nowMs, next.dueMs);
      next.callback();
    }
    // A callback may have advanced further by itself.
    this.nowMs = Math.max(this.nowMs, endMs);
  }

  private earliest(untilMs: number): SimulatedTimer | undefined {
    let found: SimulatedTimer | undefined;
    for (const timer of this.timers) {
      if (timer.dueMs > untilMs) continue;
      if (
        found === undefined ||
        timer.dueMs < found.dueMs ||
        (timer.dueMs === found.dueMs && timer.order < found.order)
      ) {
        found = timer;
      }
    }
    return found;
  }
}
