/**
 * What follows when a plugin of a pipe throws: its pipe stands still for a while and starts anew, longer each time,
 * until a batch is delivered. Its data stays where it is; other pipes notice nothing.
 *
 *     sound --exception--> standing still --back-off--> on trial --delivered--> sound
 *                              ^---------exception----------|
 */
import { Backoff } from '../../base/index.js';
import type { Clock, Random, Timer } from '../../base/index.js';
import type { Counter, Log, MetricDefinition, Metrics } from '../telemetry.js';

const BACKOFF = { initialMs: 500, maxMs: 30_000, factor: 2, jitterRatio: 0.2 };

export const RECOVERY_METRICS = {
  failures: {
    name: 'pipe_plugin_failure_count',
    type: 'counter',
    help: 'Exceptions in a plugin of the pipe, by its kind; each makes the pipe stand still for a while.',
    labels: ['pipe', 'kind'],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;

/** Plugins that are called outside a call of a source, where the server would end that call. */
export const GUARDED_KINDS = ['queue', 'filter', 'forwarder', 'fallbacker'] as const;
export type GuardedKind = (typeof GUARDED_KINDS)[number];

export class Recovery {
  /** Called when the pipe starts anew. */
  onRestart: () => void = () => undefined;
  /** Nothing is taken from the queue, and no batch sent. */
  isStandingStill = false;
  /** A plugin has thrown, and no batch was delivered since. */
  isDegraded = false;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly backoff: Backoff;
  private readonly failures: Readonly<Record<GuardedKind, Counter>>;
  private timer: Timer | null = null;

  constructor(pipe: string, clock: Clock, random: Random, log: Log, metrics: Metrics) {
    this.clock = clock;
    this.log = log;
    this.backoff = new Backoff(BACKOFF, random);
    const counter = (kind: GuardedKind): Counter => metrics.counter(RECOVERY_METRICS.failures, { pipe, kind });
    this.failures = {
      queue: counter('queue'),
      filter: counter('filter'),
      forwarder: counter('forwarder'),
      fallbacker: counter('fallbacker'),
    };
  }

  /** A plugin has thrown. */
  onException(kind: GuardedKind, error: unknown): void {
    this.failures[kind].value++;
    this.isDegraded = true;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.log.repeated('error', `exception-${kind}`, 'a plugin failed; its pipe stands still for a while', {
      kind,
      error: text,
    });
    if (this.isStandingStill) return;
    this.isStandingStill = true;
    this.timer = this.clock.setTimer(this.backoff.nextMs(), () => {
      this.restart();
    });
  }

  /** A batch was delivered: every plugin has done its part. */
  onDelivered(): void {
    if (!this.isDegraded || this.isStandingStill) return;
    this.isDegraded = false;
    this.backoff.reset();
    this.log.info('the pipe works again');
  }

  /** No waiting any more: the pipe drains. */
  restart(): void {
    this.timer?.cancel();
    if (!this.isStandingStill) return;
    this.isStandingStill = false;
    this.onRestart();
  }

  close(): void {
    this.timer?.cancel();
  }
}
