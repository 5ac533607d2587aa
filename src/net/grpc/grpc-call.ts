/**
 * HOT. What both ends of a call have in common: messages in (cut, inflated in order, credited), messages out, the
 * deadline.
 *
 * Credit. The engine returns connection credit by itself. Stream credit returns when the bytes have been read: those of
 * an incomplete message too (else one larger than the window would wait for ever), those of a compressed one when it has
 * been delivered. A paused call holds all of it back until the last resume, so its sender stops after one window.
 *
 *   DATA ─▶ reader ─▶ identity, nothing waiting ─▶ deliver
 *                 └─▶ compressed, or behind one ─▶ inbox ─▶ inflate ─▶ deliver     (the order of arrival is kept)
 *
 * @ownership a delivered message belongs to the handler; parts given to sendMessage stay unchanged until the end.
 */
import { Ring, WheelTimer } from '../../base/index.js';
import type { HeaderFields, Http2StreamEvents, Http2StreamHandle } from '../http2/contract.js';
import type { CallEnvironment } from './call-environment.js';
import { compress, encodingOf, inflate, overBudgetText, type Encoding, type InflateListener } from './compression.js';
import type { Message } from './contract.js';
import { MessageReader, READ } from './message-reader.js';
import { GRPC_STATUS } from './status.js';

const PREFIX_BYTES = 5;

/** A complete message that waits for its turn to be inflated or delivered. */
class WaitingMessage {
  readonly message: Message;
  readonly isCompressed: boolean;
  /** Credit to return when it has been delivered. */
  readonly credit: number;

  constructor(message: Message, isCompressed: boolean, credit: number) {
    this.message = message;
    this.isCompressed = isCompressed;
    this.credit = credit;
  }
}

/** How a stream was lost. */
class StreamLoss {
  readonly errorCode: number;
  readonly isUnprocessed: boolean;
  readonly reason: string;

  constructor(errorCode: number, isUnprocessed: boolean, reason: string) {
    this.errorCode = errorCode;
    this.isUnprocessed = isUnprocessed;
    this.reason = reason;
  }
}

export abstract class GrpcCall implements Http2StreamEvents, InflateListener {
  readonly path: string;
  state: unknown = undefined;
  protected readonly environment: CallEnvironment;
  protected readonly stream: Http2StreamHandle;
  protected readonly reader: MessageReader;
  /** Encoding of the peer's compressed messages. */
  protected receiveEncoding: Encoding = 'identity';
  /** Encoding of the messages we send. */
  protected sendEncoding: Encoding = 'identity';
  /** The peer sent END_STREAM (or is gone): no more data. */
  protected hasPeerEnded = false;
  private hasEnded = false;
  private pauses = 0;
  private heldCredit = 0;
  private inbox: Ring<WaitingMessage> | null = null;
  /** Credit of the message being inflated; -1 when none is. */
  private inflatingCredit = -1;
  private abandonInflation: (() => void) | null = null;
  /** Ends the call in time: its deadline, as a rule. */
  private timer: WheelTimer | null = null;
  /** How the stream went away, while messages that came before are still waiting; null as a rule. */
  private loss: StreamLoss | null = null;

  protected constructor(environment: CallEnvironment, stream: Http2StreamHandle, path: string) {
    this.path = path;
    this.environment = environment;
    this.stream = stream;
    this.reader = new MessageReader(environment.maxReceiveMessageBytes, environment.meter);
  }

  /** Gives one message to the layer above. */
  protected abstract deliver(message: Message): void;
  /** All messages have been delivered and no more will come. */
  protected abstract onAllReceived(): void;
  /** The stream went away and all messages that came before have been delivered. */
  protected abstract onStreamLost(errorCode: number, isUnprocessed: boolean, reason: string): void;
  /** Ends the call from here with `status`. */
  protected abstract fail(status: number, text: string): void;

  get isEnded(): boolean {
    return this.hasEnded;
  }

  /** Bytes handed over and not yet framed for the socket. */
  get unsentBytes(): number {
    return this.stream.unsentBytes;
  }

  // --- receiving ---

  onData(stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void {
    if (endStream) this.hasPeerEnded = true;
    let credit = slice.length;
    if (!this.hasEnded) credit -= this.readMessages(slice);
    if (endStream) this.checkAllReceived();
    else if (this.hasEnded) stream.returnCredit(credit);
    else this.returnCredit(credit);
  }

  /** @returns bytes of messages that went to the inbox, which returns their credit later. */
  private readMessages(slice: Uint8Array): number {
    const reader = this.reader;
    let waitingBytes = 0;
    let readTo = 0;
    reader.push(slice);
    for (;;) {
      const code = reader.next();
      if (code === READ.needMore) return waitingBytes;
      if (code > READ.compressed) {
        this.refuse(code);
        return waitingBytes;
      }
      const message = reader.takeMessage();
      const bytes = reader.position - readTo;
      readTo = reader.position;
      if (code === READ.message && this.inbox === null) {
        this.deliver(message);
      } else {
        waitingBytes += bytes;
        this.wait(message, code === READ.compressed, bytes);
      }
      if (this.hasEnded) return waitingBytes;
    }
  }

  private refuse(code: number): void {
    if (code === READ.tooLarge) {
      const limit = String(this.environment.maxReceiveMessageBytes);
      const size = String(this.reader.announcedBytes);
      this.fail(GRPC_STATUS.RESOURCE_EXHAUSTED, `message of ${size} bytes is larger than the limit of ${limit} bytes`);
    } else if (code === READ.overBudget) {
      this.fail(GRPC_STATUS.RESOURCE_EXHAUSTED, overBudgetText(this.environment.meter));
    } else {
      this.fail(GRPC_STATUS.INTERNAL, 'message prefix with an unknown flag');
    }
  }

  onReset(_stream: Http2StreamHandle, errorCode: number, isUnprocessed: boolean, reason: string): void {
    this.hasPeerEnded = true;
    this.loss = new StreamLoss(errorCode, isUnprocessed, reason);
    this.checkAllReceived();
  }

  /** The peer's side may be over: passes that on when nothing waits before it. */
  protected checkAllReceived(): void {
    if (!this.hasPeerEnded || this.hasEnded || this.inbox !== null) return;
    if (this.loss === null) this.onAllReceived();
    else this.onStreamLost(this.loss.errorCode, this.loss.isUnprocessed, this.loss.reason);
  }

  /** Chooses how compressed messages are read. @returns false when the encoding is none of ours. */
  protected setReceiveEncoding(header: string | undefined): boolean {
    const encoding = encodingOf(header);
    if (encoding === null) return false;
    this.receiveEncoding = encoding;
    return true;
  }

  // --- compressed messages ---

  private wait(message: Message, isCompressed: boolean, credit: number): void {
    const isIdle = this.inbox === null;
    this.inbox ??= new Ring<WaitingMessage>(4);
    this.inbox.push(new WaitingMessage(message, isCompressed, credit));
    const fits = this.environment.meter.charge(message.pinnedBytes, message.pinnedBytes);
    if (!fits) this.fail(GRPC_STATUS.RESOURCE_EXHAUSTED, overBudgetText(this.environment.meter));
    else if (isIdle) this.deliverWaiting();
  }

  private deliverWaiting(): void {
    while (this.inbox !== null && this.inflatingCredit < 0) {
      const waiting = this.inbox.shift();
      if (waiting === undefined) {
        this.inbox = null;
        return;
      }
      this.environment.meter.release(waiting.message.pinnedBytes);
      this.inflatingCredit = waiting.credit;
      if (!waiting.isCompressed) {
        this.onInflated(waiting.message);
        continue;
      }
      const { maxReceiveMessageBytes, meter } = this.environment;
      // The outcome may come during this call; then there is nothing to abandon.
      const abandon = inflate(this.receiveEncoding, waiting.message, maxReceiveMessageBytes, meter, this);
      if (abandon !== null) {
        this.abandonInflation = abandon;
      }
    }
  }

  onInflated(message: Message): void {
    if (this.hasEnded) return;
    const credit = this.inflatingCredit;
    const isLater = this.abandonInflation !== null;
    this.inflatingCredit = -1;
    this.abandonInflation = null;
    this.deliver(message);
    this.returnCredit(credit);
    if (!isLater) return;
    this.deliverWaiting();
    this.checkAllReceived();
  }

  onInflateFailed(status: number, text: string): void {
    if (!this.hasEnded) this.fail(status, text);
  }

  // --- pausing ---

  /** Stops returning credit. Counted. */
  pause(): void {
    this.pauses++;
  }

  /** Ends one pause; the last one returns what was held back. */
  resume(): void {
    if (this.pauses === 0 || --this.pauses > 0) return;
    const credit = this.heldCredit;
    this.heldCredit = 0;
    this.returnCredit(credit);
  }

  private returnCredit(credit: number): void {
    if (this.pauses > 0) this.heldCredit += credit;
    else if (credit > 0 && !this.hasPeerEnded) this.stream.returnCredit(credit);
  }

  // --- sending ---

  /** Queues one message behind its prefix. */
  protected writeMessage(parts: readonly Uint8Array[], length: number): void {
    const isCompressed = this.sendEncoding !== 'identity';
    let body = parts;
    let bodyBytes = length;
    if (isCompressed) {
      const compressed = compress(this.sendEncoding, parts);
      body = [compressed];
      bodyBytes = compressed.length;
    }
    const framed: Uint8Array[] = [prefixOf(isCompressed, bodyBytes)];
    for (let index = 0; index < body.length; index++) framed.push(body[index]!);
    if (!this.stream.isClosed) this.stream.sendData(framed, PREFIX_BYTES + bodyBytes, false);
  }

  onDrain(): void {
    // Producers look at unsentBytes.
  }

  abstract onHeaders(stream: Http2StreamHandle, headers: HeaderFields, endStream: boolean, isTrailers: boolean): void;

  // --- the end ---

  /** Arms the deadline; `fail` follows with DEADLINE_EXCEEDED when it passes first. */
  protected armDeadline(deadlineMs: number): void {
    if (deadlineMs === Infinity) return;
    const timer = new WheelTimer(() => {
      if (!this.hasEnded) this.fail(GRPC_STATUS.DEADLINE_EXCEEDED, 'deadline exceeded');
    });
    this.armTimer(timer, deadlineMs - this.environment.clock.now());
  }

  /** Arms the call's timer, in place of the one it had. */
  protected armTimer(timer: WheelTimer, delayMs: number): void {
    this.disarmTimer();
    this.timer = timer;
    this.environment.wheel.arm(timer, delayMs);
  }

  private disarmTimer(): void {
    if (this.timer !== null) this.environment.wheel.disarm(this.timer);
    this.timer = null;
  }

  /** Marks the call as ended and lets go of everything. @returns false when it had ended before. */
  protected markEnded(): boolean {
    if (this.hasEnded) return false;
    this.hasEnded = true;
    this.disarmTimer();
    this.reader.release();
    if (this.inbox === null) return true;
    for (let waiting = this.inbox.shift(); waiting !== undefined; waiting = this.inbox.shift()) {
      this.environment.meter.release(waiting.message.pinnedBytes);
      waiting.message.release();
    }
    this.inbox = null;
    if (this.abandonInflation !== null) this.abandonInflation();
    this.abandonInflation = null;
    return true;
  }

  /** Ends the call because a callback of the layer above threw. */
  protected failByHandler(error: unknown): void {
    this.environment.onHandlerError(this.path, error);
    if (!this.hasEnded) this.fail(GRPC_STATUS.INTERNAL, 'internal error');
  }
}

function prefixOf(isCompressed: boolean, bodyBytes: number): Uint8Array {
  const prefix = new Uint8Array(PREFIX_BYTES);
  prefix[0] = isCompressed ? 1 : 0;
  prefix[1] = bodyBytes >>> 24;
  prefix[2] = bodyBytes >>> 16;
  prefix[3] = bodyBytes >>> 8;
  prefix[4] = bodyBytes;
  return prefix;
}
