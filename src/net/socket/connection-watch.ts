/**
 * One timer per connection for everything that may pass: the peer's preface, keepalive pings and their answers, the idle
 * limit. Reads and streams only leave timestamps behind; the timer looks at them when it fires.
 */
import { WheelTimer, type Clock, type TimerWheel } from '../../base/index.js';

export interface WatchSettings {
  /** From the connection's start to the peer's first SETTINGS. @units ms; 0: no limit. */
  readonly setupTimeoutMs: number;
  /** A ping is sent after so long without data. @units ms; 0: never. */
  readonly keepaliveTimeMs: number;
  /** The connection is given up when a ping stays unanswered so long, and nothing else came. */
  readonly keepaliveTimeoutMs: number;
  /** Ping also while no stream is open. */
  readonly pingsWithoutStreams: boolean;
  /** The connection is drained after so long without a stream and without data. @units ms; 0: never. */
  readonly idleTimeoutMs: number;
}

/** What is watched. */
export interface WatchedConnection {
  readonly isSetUp: boolean;
  readonly openStreams: number;
  readonly lastReadMs: number;
  ping(onAnswer: () => void): void;
  drain(): void;
  /** Closes at once because the peer is silent. */
  giveUp(reason: string): void;
}

export class ConnectionWatch {
  private readonly settings: WatchSettings;
  private readonly connection: WatchedConnection;
  private readonly clock: Clock;
  private readonly wheel: TimerWheel;
  private readonly timer: WheelTimer;
  private readonly startedMs: number;
  /** When the ping under way was sent; -1: none is. */
  private pingSentMs = -1;
  private readonly onPingAnswer = (): void => {
    this.pingSentMs = -1;
  };

  constructor(settings: WatchSettings, connection: WatchedConnection, clock: Clock, wheel: TimerWheel) {
    this.settings = settings;
    this.connection = connection;
    this.clock = clock;
    this.wheel = wheel;
    this.startedMs = clock.now();
    this.timer = new WheelTimer(() => {
      this.check();
    });
    if (settings.setupTimeoutMs > 0) this.armAt(this.startedMs + settings.setupTimeoutMs);
    else this.check();
  }

  /** The connection is closed. Idempotent. */
  stop(): void {
    this.wheel.disarm(this.timer);
  }

  private check(): void {
    const { settings, connection } = this;
    const nowMs = this.clock.now();
    if (settings.setupTimeoutMs > 0 && !connection.isSetUp) {
      connection.giveUp(`not set up within ${String(settings.setupTimeoutMs)} ms`);
      return;
    }
    let nextMs = Infinity;
    if (settings.keepaliveTimeMs > 0) nextMs = this.checkKeepalive(nowMs);
    if (settings.idleTimeoutMs > 0) nextMs = Math.min(nextMs, this.checkIdle(nowMs));
    if (nextMs < Infinity) this.armAt(nextMs);
  }

  private checkKeepalive(nowMs: number): number {
    const { settings, connection } = this;
    if (this.pingSentMs >= 0 && connection.lastReadMs > this.pingSentMs) this.pingSentMs = -1;
    if (this.pingSentMs >= 0) {
      const limitMs = this.pingSentMs + settings.keepaliveTimeoutMs;
      if (nowMs < limitMs) return limitMs;
      connection.giveUp(`no answer to a keepalive ping for ${String(settings.keepaliveTimeoutMs)} ms`);
      return Infinity;
    }
    const dueMs = connection.lastReadMs + settings.keepaliveTimeMs;
    if (nowMs < dueMs) return dueMs;
    if (connection.openStreams === 0 && !settings.pingsWithoutStreams) return nowMs + settings.keepaliveTimeMs;
    this.pingSentMs = nowMs;
    connection.ping(this.onPingAnswer);
    return nowMs + settings.keepaliveTimeoutMs;
  }

  private checkIdle(nowMs: number): number {
    const { settings, connection } = this;
    if (connection.openStreams > 0) return nowMs + settings.idleTimeoutMs;
    const dueMs = connection.lastReadMs + settings.idleTimeoutMs;
    if (nowMs < dueMs) return dueMs;
    connection.drain();
    return Infinity;
  }

  private armAt(timeMs: number): void {
    this.wheel.arm(this.timer, timeMs - this.clock.now());
  }
}
