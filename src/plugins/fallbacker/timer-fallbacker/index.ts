import { z } from 'zod';
import { durationOption, integerOption } from '../../../core/options.js';
import type { Fallbacker, FallbackerDefinition } from '../../../core/pipe/index.js';

const schema = z.object({
  max_attempts: integerOption({
    default: 3,
    min: 0,
    doc: 'Most tries of a batch, the one that failed included.',
  }),
  exponential_backoff: durationOption({
    unit: 'ms',
    default: 2000,
    min: 0,
    doc: 'Wait before the first further try; doubles with each.',
  }),
  max_backoff: durationOption({
    unit: 'ms',
    default: 5000,
    min: 0,
    doc: 'Longest wait between two tries; the first wait is not bounded by it.',
  }),
});
type TimerFallbackerConfig = z.infer<typeof schema>;

class TimerFallbacker implements Fallbacker {
  private readonly config: TimerFallbackerConfig;

  constructor(config: TimerFallbackerConfig) {
    this.config = config;
  }

  nextTryMs(attempt: number): number {
    if (attempt >= this.config.max_attempts) return -1;
    if (attempt === 1) return this.config.exponential_backoff;
    return Math.min(this.config.exponential_backoff * 2 ** (attempt - 1), this.config.max_backoff);
  }
}

export const timerFallbacker: FallbackerDefinition<TimerFallbackerConfig> = {
  kind: 'fallbacker',
  name: 'timer-fallbacker',
  title: 'Fallback by time',
  description:
    'Gives a batch that has finally failed some more tries, each after a longer wait, then drops it, counted with its reason. Other batches go on meanwhile.',
  stability: 'stable',
  schema,
  create: (config) => new TimerFallbacker(config),
};
