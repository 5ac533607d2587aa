/**
 * HOT. Serves one queued method: each message is read by scanning, admitted, and put into its stream's window. Answers
 * one empty message and OK at half-close. A stream that ends any other way keeps what it brought.
 */
import { Identity } from '../event.js';
import type { Message, MethodHandler, ServerCall } from '../../net/grpc/contract.js';
import type { MemoryBudget } from '../budget.js';
import type { DropReason } from '../drop-reason.js';
import type { Log } from '../telemetry.js';
import { READ } from '../wire/reader.js';
import { PendingAcks } from './ack.js';
import type { QueuedMethod } from './contract.js';
import type { Gatherer } from './gatherer.js';
import type { Source, WindowWheel } from './window.js';

const OK = 0;
const INVALID_ARGUMENT = 3;
const RESOURCE_EXHAUSTED = 8;
const NO_PARTS: readonly Uint8Array[] = [];

export class StreamHandler implements MethodHandler {
  readonly takesLateMessages = true;
  private readonly queued: QueuedMethod;
  private readonly wheel: WindowWheel;
  private readonly gatherer: Gatherer;
  private readonly budget: MemoryBudget;
  private readonly log: Log;
  private malformedCount = 0;

  constructor(queued: QueuedMethod, wheel: WindowWheel, gatherer: Gatherer, budget: MemoryBudget, log: Log) {
    this.queued = queued;
    this.wheel = wheel;
    this.gatherer = gatherer;
    this.budget = budget;
    this.log = log;
  }

  onCall(call: ServerCall): void {
    const source = this.wheel.createSource(call);
    const { ack } = this.queued.window;
    if (ack !== 'received') source.acks = new PendingAcks(call, ack);
    source.account = this.gatherer.openAccount(call.peer.host);
    call.state = source;
    if (this.queued.observer !== null) source.handle = this.queued.observer.onOpen(call.peer.host);
  }

  onMessage(call: ServerCall, message: Message): void {
    const source = call.state as Source;
    if (source.isRefused) {
      message.release();
      return;
    }
    const reader = this.queued.reader;
    const current = source.identity;
    if (reader.read(message, current === null ? null : current.bytes) !== READ.ok) {
      this.onMalformed(source, message);
      message.release();
      return;
    }
    if (reader.identity !== null && !this.adoptIdentity(source, reader.identity)) return;
    if (!reader.carriesIdentity && source.identity === null && this.queued.withoutIdentity !== 'accept') {
      this.onNoIdentity(source);
      return;
    }
    const payload = reader.payload;
    if (!this.gatherer.admit(source, payload, reader.entries)) {
      payload.release();
      if (source.acks !== null) source.acks.onRefused('memory_budget');
      return;
    }
    if (this.queued.observer !== null) this.queued.observer.onMessage(source.handle);
    // Where the message keeps its own identity, an event that begins with it needs no other.
    const identity = reader.cutsIdentity || !reader.carriesIdentity ? source.identity : null;
    this.wheel.add(source, payload, reader.entries, identity, reader.keyHash);
  }

  onHalfClose(call: ServerCall): void {
    const source = call.state as Source;
    this.wheel.close(source);
    const { acks } = source;
    if (acks !== null) {
      // What a drained call still brings is held back as before, and its answer does not wait for that.
      source.acks = new PendingAcks(call, acks.level);
      acks.answerWhenSafe();
      return;
    }
    call.sendMessage(NO_PARTS, 0);
    call.finish(OK);
  }

  onEnd(call: ServerCall, isCancelled: boolean): void {
    const source = call.state as Source;
    this.wheel.close(source);
    if (source.identity !== null) source.identity.release();
    source.identity = null;
    if (source.account !== null) source.account.leave();
    if (this.queued.observer === null) return;
    if (isCancelled) this.queued.observer.onFailed(source.handle);
    this.queued.observer.onClose(source.handle);
  }

  /** False: there is no memory for it, so the call fails; the source's next call says again who it is. */
  private adoptIdentity(source: Source, bytes: Uint8Array): boolean {
    // The open window belongs to the identity before.
    if (this.queued.reader.cutsIdentity) this.wheel.close(source);
    if (!this.gatherer.admitIdentity(bytes.length)) {
      this.refuseCall(source, 'memory_budget', RESOURCE_EXHAUSTED, 'no memory for another stream');
      return false;
    }
    if (source.identity !== null) source.identity.release();
    source.identity = new Identity(bytes, this.budget);
    return true;
  }

  private onMalformed(source: Source, message: Message): void {
    this.gatherer.refuse(0, message.length, 'malformed');
    if (this.queued.observer !== null) this.queued.observer.onFailed(source.handle);
    // A sample, at powers of two: the first bytes tell most kinds of rubbish apart.
    this.malformedCount++;
    if ((this.malformedCount & (this.malformedCount - 1)) !== 0) return;
    const first = message.parts.length === 0 ? '' : Buffer.from(message.parts[0]!.subarray(0, 48)).toString('hex');
    this.log.debug('malformed message dropped', {
      peer: source.call!.peer.host,
      bytes: String(message.length),
      first,
      count: String(this.malformedCount),
    });
  }

  private onNoIdentity(source: Source): void {
    if (this.queued.withoutIdentity === 'fail-call') {
      this.refuseCall(source, 'no_identity', INVALID_ARGUMENT, 'the first message of the stream carries no identifier');
    } else {
      this.refuseMessage(source, 'no_identity');
    }
  }

  private refuseMessage(source: Source, reason: DropReason): void {
    const { entries, payload } = this.queued.reader;
    this.gatherer.refuse(entries, payload.length, reason);
    payload.release();
    if (this.queued.observer !== null) this.queued.observer.onFailed(source.handle);
  }

  private refuseCall(source: Source, reason: DropReason, status: number, text: string): void {
    this.refuseMessage(source, reason);
    source.isRefused = true;
    source.call!.finish(status, text);
  }
}
