import type { Random } from './random.js';

/** Bounds of an exponential back-off. All in milliseconds. */
export interface BackoffSettings {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Growth from one attempt to the next. */
  readonly factor: number;
  /** Share of the delay that is random: 0.2 gives ±20 %. */
  readonly jitterRatio: number;
}

/** Jittered exponential back-off: 1st delay about `initialMs`, growing by `factor` up to `maxMs`. */
export class Backoff {
  private readonly settings: BackoffSettings;
  private readonly random: Random;
  private baseMs: number;

  constructor(settings: BackoffSettings, random: Random) {
    this.settings = settings;
    this.random = random;
    this.baseMs = settings.initialMs;
  }

  /** The next delay; each call grows the one after. */
  nextMs(): number {
    const delayMs = Math.min(this.baseMs, this.settings.maxMs);
    this.baseMs = Math.min(this.baseMs * this.settings.factor, this.settings.maxMs);
    return delayMs * (1 + (this.random() * 2 - 1) * this.settings.jitterRatio);
  }

  /** Back to the first delay, after a success. */
  reset(): void {
    this.baseMs = this.settings.initialMs;
  }
}
