/**
 * Conditions that repeat: the first line of a key is written at once; what follows within 20 s is counted and summed up in
 * one line; a key that stayed quiet for 20 s starts anew.
 */
import type { Clock, Timer } from '../../base/index.js';
import type { Labels } from '../../core/telemetry.js';

/** The original sums up its own log in the same interval. */
export const SUMMARY_INTERVAL_MS = 20_000;

/** Keys come from code and from endpoint names, a few dozen; this only bounds a mistake. */
export const MAX_KEYS = 512;

/** The key that takes over when there are `MAX_KEYS` of them. */
const OVERFLOW_KEY = '';

interface Repeated<Level> {
  level: Level;
  message: string;
  fields: Labels;
  /** Lines held back since the last one was written. */
  count: number;
  timer: Timer;
}

export class RepeatedLines<Level> {
  private readonly clock: Clock;
  private readonly write: (level: Level, message: string, fields: Labels) => void;
  private readonly keys = new Map<string, Repeated<Level>>();

  constructor(clock: Clock, write: (level: Level, message: string, fields: Labels) => void) {
    this.clock = clock;
    this.write = write;
  }

  add(level: Level, key: string, message: string, fields: Labels): void {
    const isFull = this.keys.size >= MAX_KEYS && !this.keys.has(key);
    const usedKey = isFull ? OVERFLOW_KEY : key;
    const known = this.keys.get(usedKey);
    if (known === undefined) {
      this.write(level, message, fields);
      const timer = this.setTimer(usedKey);
      this.keys.set(usedKey, { level, message, fields, count: 0, timer });
      return;
    }
    known.level = level;
    known.message = message;
    known.fields = fields;
    known.count++;
  }

  /** Writes every outstanding sum and forgets all keys. */
  flush(): void {
    for (const repeated of this.keys.values()) {
      repeated.timer.cancel();
      this.sumUp(repeated);
    }
    this.keys.clear();
  }

  private setTimer(key: string): Timer {
    return this.clock.setTimer(SUMMARY_INTERVAL_MS, () => {
      this.onInterval(key);
    });
  }

  private onInterval(key: string): void {
    const repeated = this.keys.get(key);
    if (repeated === undefined) return;
    if (repeated.count === 0) {
      this.keys.delete(key);
      return;
    }
    this.sumUp(repeated);
    repeated.timer = this.setTimer(key);
  }

  private sumUp(repeated: Repeated<Level>): void {
    if (repeated.count === 0) return;
    this.write(repeated.level, repeated.message, { ...repeated.fields, repeated: String(repeated.count) });
    repeated.count = 0;
  }
}
