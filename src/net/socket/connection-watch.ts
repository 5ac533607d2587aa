/**
 * One timer per connection for everything that may pass: the peer's preface, keepalive pings and their answers, the idle
 * limit, the age limit. Reads and streams only leave timestamps behind; the timer looks at them when it fires.
 *
 *   staying ── idle, or old enough, or told to ──▶ leaving: GOAWAY; calls end after their next message
 *                                                    │ LEAVE_QUIET_MS
 *                                                    ▼
 *                                                  quiet: calls end now, at a message boundary ── grace over ──▶ given up
 */
import { WheelTimer, type Clock, type TimerWheel } from '../../base/index.js';

/**
 * Calls that got no message for so long after their connection began to leave are ended: an Envoy flushes once a second,
 * so none is likely to be on its way.
 */
const LEAVE_QUIET_MS = 1200;

export interface WatchSettings {
  /** From the connection's start to the peer's first SETTINGS. @units ms; 0: no limit. */
  readonly setupTimeoutMs: number;
  /** A ping is sent after so long without data. @units ms; 0: never. */
  readonly keepaliveTimeMs: number;
  /** The connection is given up when a ping stays unanswered so long, and nothing else came. */
  readonly keepaliveTimeoutMs: number;
  /** Ping also while no stream is open. */
  readonly pingsWithoutStreams: boolean;
  /** The connection leaves after so long without a stream and without data. @units ms; 0: never. */
  readonly idleTimeoutMs: number;
  /** Calls still open so long after the age limit are cut off. @units ms; 0: never. */
  readonly ageGraceMs: number;
}

/** What is watched. */
export interface WatchedConnection {
  readonly isSetUp: boolean;
  readonly openStreams: number;
  readonly lastReadMs: number;
  ping(onAnswer: () => void): void;
  /** GOAWAY; open calls may end after their next message. */
  drain(): void;
  /** No message is on its way: open calls end now, unless they are within one. */
  endQuietCalls(): void;
  /** Closes at once because the peer is silent or does not leave. */
  giveUp(reason: string): void;
}

export class ConnectionWatch {
  private readonly settings: WatchSettings;
  private readonly connection: WatchedConnection;
  private readonly clock: Clock;
  private readonly wheel: TimerWheel;
  private readonly timer: WheelTimer;
  private readonly startedMs: number;
  /** When it is old enough to leave; Infinity: never. */
  private readonly ageLimitMs: number;
  /** When the ping under way was sent; -1: none is. */
  private pingSentMs = -1;
  /** While leaving: when calls are ended although no message came; Infinity while staying and once that is done. */
  private quietAtMs = Infinity;
  /** While leaving: when the connection is given up. */
  private leaveLimitMs = Infinity;
  private isLeaving = false;
  private readonly onPingAnswer = (): void => {
    this.pingSentMs = -1;
  };

  /** @units `maxAgeMs`: age at which the connection leaves; Infinity: never. */
  constructor(
    settings: WatchSettings,
    connection: WatchedConnection,
    clock: Clock,
    wheel: TimerWheel,
    maxAgeMs = Infinity,
  ) {
    this.settings = settings;
    this.connection = connection;
    this.clock = clock;
    this.wheel = wheel;
    this.startedMs = clock.now();
    this.ageLimitMs = this.startedMs + maxAgeMs;
    this.timer = new WheelTimer(() => {
      this.check();
    });
    this.check();
  }

  /** Lets the connection go without losing a message. Idempotent. @units `limitMs`: time until it is given up. */
  leave(limitMs = Infinity): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    const nowMs = this.clock.now();
    this.quietAtMs = nowMs + LEAVE_QUIET_MS;
    this.leaveLimitMs = nowMs + limitMs;
    this.armAt(Math.min(this.quietAtMs, this.leaveLimitMs));
    this.connection.drain();
  }

  /** The connection is closed. Idempotent. */
  stop(): void {
    this.isLeaving = true;
    this.wheel.disarm(this.timer);
  }

  private check(): void {
    const { settings, connection } = this;
    const nowMs = this.clock.now();
    let nextMs = Infinity;
    if (settings.setupTimeoutMs > 0 && !connection.isSetUp) {
      nextMs = this.startedMs + settings.setupTimeoutMs;
      if (nowMs >= nextMs) {
        connection.giveUp(`not set up within ${String(settings.setupTimeoutMs)} ms`);
        return;
      }
    } else if (settings.keepaliveTimeMs > 0) {
      nextMs = this.checkKeepalive(nowMs);
    }
    nextMs = Math.min(nextMs, this.isLeaving ? this.checkLeaving(nowMs) : this.checkStaying(nowMs));
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

  private checkStaying(nowMs: number): number {
    const { settings, connection } = this;
    if (nowMs >= this.ageLimitMs) {
      this.leave(settings.ageGraceMs > 0 ? settings.ageGraceMs : Infinity);
      return this.checkLeaving(nowMs);
    }
    if (settings.idleTimeoutMs === 0) return this.ageLimitMs;
    const idleSinceMs = connection.openStreams > 0 ? nowMs : connection.lastReadMs;
    const idleLimitMs = idleSinceMs + settings.idleTimeoutMs;
    if (nowMs < idleLimitMs) return Math.min(idleLimitMs, this.ageLimitMs);
    // A peer that is alive answers a GOAWAY as soon as a ping.
    this.leave(settings.keepaliveTimeoutMs);
    return this.checkLeaving(nowMs);
  }

  private checkLeaving(nowMs: number): number {
    if (nowMs >= this.leaveLimitMs) {
      this.connection.giveUp('it did not leave in the time given after GOAWAY');
      return Infinity;
    }
    if (nowMs >= this.quietAtMs) {
      this.quietAtMs = Infinity;
      this.connection.endQuietCalls();
    }
    return Math.min(this.quietAtMs, this.leaveLimitMs);
  }

  private armAt(timeMs: number): void {
    this.wheel.arm(this.timer, timeMs - this.clock.now());
  }
}
