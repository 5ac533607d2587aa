/**
 * One try to send a batch: a leased call, watched until its status comes. The watch looks at the connection, not at the
 * call: a backend that is slow but takes bytes is left alone, one that stands still is given up.
 */
import { WheelTimer } from '../../base/index.js';
import type { Clock, TimerWheel } from '../../base/index.js';
import type { ClientCall, ClientCallHandler } from '../../net/grpc/contract.js';
import type { Batch } from '../batch.js';
import type { Channel, Lease } from '../channel.js';
import type { Forwarder } from './contract.js';

export interface AttemptParts {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly channel: Channel;
  readonly forwarder: Forwarder;
  readonly handler: ClientCallHandler;
  readonly stallTimeoutMs: number;
}

export class Attempt {
  readonly batch: Batch;
  readonly lease: Lease;
  readonly openedMs: number;
  private readonly parts: AttemptParts;
  private call: ClientCall | null = null;
  /** When all bytes had certainly left: half-close at first, later the last look that found some unsent. */
  private sentMs: number;
  private readonly timer: WheelTimer;

  constructor(parts: AttemptParts, batch: Batch, lease: Lease) {
    this.parts = parts;
    this.batch = batch;
    this.lease = lease;
    this.openedMs = parts.clock.now();
    this.sentMs = this.openedMs;
    this.timer = new WheelTimer(() => {
      this.look();
    });
  }

  /** Opens the call and writes the batch. False: the endpoint had no slot after all. */
  start(): boolean {
    const { channel, forwarder, handler } = this.parts;
    const path = forwarder.paths[this.batch.method]!;
    const call = this.lease.openCall(path, handler, { metadata: channel.metadata, ignoresReply: true });
    if (call === null) return false;
    call.state = this;
    this.call = call;
    forwarder.writeBatch(call, this.batch);
    if (!call.isEnded) this.arm();
    return true;
  }

  /** Cancels the call; its status will find nobody. */
  abandon(reason: string): void {
    this.finish();
    if (this.call === null) return;
    this.call.state = null;
    this.call.cancel(reason);
  }

  /** The status is here: stop watching. */
  finish(): void {
    this.parts.wheel.disarm(this.timer);
  }

  private arm(): void {
    this.parts.wheel.arm(this.timer, Math.min(this.parts.stallTimeoutMs, this.parts.channel.streamTimeoutMs));
  }

  private look(): void {
    const call = this.call!;
    const nowMs = this.parts.clock.now();
    if (call.unsentBytes > 0) {
      this.sentMs = nowMs;
      const progressMs = Math.max(call.connection.lastProgressMs, this.openedMs);
      const restMs = progressMs + this.parts.stallTimeoutMs - nowMs;
      if (restMs <= 0) call.cancel('the connection makes no progress');
      else this.parts.wheel.arm(this.timer, restMs);
      return;
    }
    const restMs = this.sentMs + this.parts.channel.streamTimeoutMs - nowMs;
    if (restMs <= 0) call.cancel('no answer after half-close');
    else if (restMs < this.parts.stallTimeoutMs) this.parts.wheel.arm(this.timer, restMs);
    else this.arm();
  }
}
