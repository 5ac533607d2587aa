/** When and how a fake OAP answers: the delays, refusals and silences its options ask for. */
import { type Clock, createSeededRandom, type Random } from '../../base/index.js';
import type { ServerCall } from '../../net/grpc/contract.js';
import type { OapOptions } from './options.js';

const OK = 0;
const UNAUTHENTICATED = 16;

export class AnswerDesk {
  options: OapOptions;
  private readonly clock: Clock;
  private readonly random: Random;
  private failuresLeft: number;
  /** When the work already taken will be done. @units clock ms */
  private busyUntilMs = 0;

  constructor(options: OapOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.random = createSeededRandom(options.seed);
    this.failuresLeft = options.failCalls;
  }

  set(changes: Partial<OapOptions>): void {
    this.options = { ...this.options, ...changes };
    if (changes.failCalls !== undefined) this.failuresLeft = changes.failCalls;
  }

  /** A call begins. @returns false when it has been refused. */
  admit(call: ServerCall): boolean {
    if (this.options.stall) call.pause();
    if (this.options.token !== '' && metadataOf(call, 'authentication') !== this.options.token) {
      call.finish(UNAUTHENTICATED, 'wrong or missing token');
      return false;
    }
    if (this.options.failAt === 'start' && this.drawFailure()) {
      call.finish(this.options.failStatus, this.options.failMessage);
      return false;
    }
    return true;
  }

  /** All of the call's `bytes` are here. `settle` is called right before the answer, with whether it is OK. */
  answer(call: ServerCall, bytes: number, reply: Uint8Array, settle: (isAccepted: boolean) => void): void {
    const { options } = this;
    if (options.neverAnswer || options.stall) return;
    const isFailure = options.failAt === 'end' && this.drawFailure();
    const finish = (): void => {
      if (call.isEnded) return;
      settle(!isFailure);
      if (isFailure) {
        call.finish(options.failStatus, options.failMessage);
        return;
      }
      call.sendMessage(reply.length === 0 ? [] : [reply], reply.length);
      call.finish(OK);
    };
    const waitMs = this.waitFor(bytes);
    if (waitMs > 0) this.clock.setTimer(waitMs, finish);
    else finish();
  }

  private waitFor(bytes: number): number {
    const { delayMs, jitterMs, bytesPerSecond, slowFactor } = this.options;
    let waitMs = (delayMs + jitterMs * this.random()) * slowFactor;
    if (bytesPerSecond > 0) {
      const now = this.clock.now();
      this.busyUntilMs = Math.max(now, this.busyUntilMs) + (bytes * slowFactor * 1000) / bytesPerSecond;
      waitMs += this.busyUntilMs - now;
    }
    return waitMs;
  }

  private drawFailure(): boolean {
    if (this.failuresLeft > 0) {
      this.failuresLeft--;
      return true;
    }
    return this.options.failRatio > 0 && this.random() < this.options.failRatio;
  }
}

function metadataOf(call: ServerCall, name: string): string | undefined {
  const at = call.metadata.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? undefined : call.metadata[at + 1];
}
