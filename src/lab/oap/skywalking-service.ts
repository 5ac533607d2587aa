/** The services of SkyWalking's own protocol on a fake OAP: every call is counted and answered with one reply. */
import type { Message, MethodHandler, ServerCall } from '../../net/grpc/contract.js';
import type { AnswerDesk } from './answer-desk.js';
import type { OapCounters } from './oap-counters.js';

/** A message as it came, for tests that compare bytes. */
export interface KeptMessage {
  readonly path: string;
  readonly metadata: readonly string[];
  readonly deadlineMs: number;
  readonly body: Buffer;
}

export class SkywalkingService implements MethodHandler {
  /** The latest `keepMessages` ones, oldest first. */
  kept: readonly KeptMessage[] = [];
  private readonly desk: AnswerDesk;
  private readonly counters: OapCounters;

  constructor(desk: AnswerDesk, counters: OapCounters) {
    this.desk = desk;
    this.counters = counters;
  }

  onCall(call: ServerCall): void {
    this.counters.calls++;
    this.counters.openCalls++;
    call.state = 0;
    if (!this.desk.admit(call)) this.counters.failedCalls++;
  }

  onMessage(call: ServerCall, message: Message): void {
    this.counters.otherMessages++;
    call.state = (call.state as number) + message.length;
    const { keepMessages } = this.desk.options;
    if (keepMessages === 0) return;
    const { path, metadata, deadlineMs } = call;
    const body = Buffer.concat(message.parts);
    this.kept = [...this.kept, { path, metadata, deadlineMs, body }].slice(-keepMessages);
  }

  onHalfClose(call: ServerCall): void {
    this.desk.answer(call, call.state as number, this.desk.options.reply, (isAccepted) => {
      if (isAccepted) this.counters.acceptedCalls++;
      else this.counters.failedCalls++;
    });
  }

  onEnd(_call: ServerCall, isCancelled: boolean): void {
    this.counters.openCalls--;
    if (isCancelled) this.counters.cancelledCalls++;
  }
}
