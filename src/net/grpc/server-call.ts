/**
 * HOT. One call served by us.
 *
 *   open ──END_STREAM──▶ half-closed ──finish──▶ ended (isCancelled false)
 *    │ │                    │
 *    │ └── finish ─▶ ended  └── reset, deadline, connection lost ─▶ ended (isCancelled true)
 *    │
 *    └─ drained, at a boundary ─▶ half-closed by us ──finish──▶ lingering ── END_STREAM, reset, connection lost,
 *                                       │                                    LINGER_MS ─▶ ended (isCancelled false)
 *                                       └── finish, but the handler takes no late messages ─▶ ended
 *
 * A caller cannot know that its call is being drained: what it wrote before it saw our answer is on the wire, and it
 * counts it as sent. So a lingering call goes on delivering messages until the caller has seen the answer, which it shows
 * by an end of its own. Only an answer to a drain lingers: an error, or a handler's early answer, is meant to stop the
 * caller, and what crosses it is of no use.
 */
import { WheelTimer } from '../../base/index.js';
import type { HeaderFields, Http2StreamHandle } from '../http2/contract.js';
import { H2_NO_ERROR } from '../http2/errors.js';
import type { CallEnvironment } from './call-environment.js';
import { ACCEPTED_ENCODINGS, type Encoding } from './compression.js';
import type { Message, MethodHandler, Peer, ServerCall } from './contract.js';
import { GrpcCall } from './grpc-call.js';
import { fieldOf } from './metadata.js';
import { encodeStatusMessage } from './percent.js';
import { GRPC_STATUS } from './status.js';
import { decodeTimeout } from './timeout.js';

const NO_METADATA: HeaderFields = [];

/**
 * How long a drained call waits for its caller to see the answer: a round trip, and what is queued on the way. With the
 * silence before it (net/socket), it fits into the servers' part of the default shutdown time.
 */
export const LINGER_MS = 500;

/** The server keeps its open calls, to drain them. */
export interface ServerCallOwner {
  onCallEnded(call: IncomingCall): void;
}

export class IncomingCall extends GrpcCall implements ServerCall {
  readonly metadata: HeaderFields;
  readonly peer: Peer;
  deadlineMs = Infinity;
  private readonly handler: MethodHandler;
  private readonly owner: ServerCallOwner;
  private hasSentHeaders = false;
  /** The server drains: end at the next message boundary. */
  private isDraining = false;
  /** The handler was told that no more is to be waited for: by the caller's END_STREAM, or by the drain. */
  private hasHalfClosed = false;
  /** The status was sent. */
  private isAnswered = false;

  constructor(
    environment: CallEnvironment,
    stream: Http2StreamHandle,
    path: string,
    metadata: HeaderFields,
    peer: Peer,
    handler: MethodHandler,
    owner: ServerCallOwner,
  ) {
    super(environment, stream, path);
    this.metadata = metadata;
    this.peer = peer;
    this.handler = handler;
    this.owner = owner;
  }

  /** Tells the handler of the call. @order once, after the engine knows this call as the stream's events. */
  begin(endStream: boolean): void {
    this.hasPeerEnded = endStream;
    if (!this.setReceiveEncoding(fieldOf(this.metadata, 'grpc-encoding'))) {
      this.refuseUnheard(GRPC_STATUS.UNIMPLEMENTED, 'grpc-encoding is not supported', [
        'grpc-accept-encoding',
        ACCEPTED_ENCODINGS,
      ]);
      return;
    }
    const timeout = fieldOf(this.metadata, 'grpc-timeout');
    if (timeout !== undefined) {
      const timeoutMs = decodeTimeout(timeout);
      if (Number.isNaN(timeoutMs)) {
        this.refuseUnheard(GRPC_STATUS.INTERNAL, 'malformed grpc-timeout', []);
        return;
      }
      this.deadlineMs = this.environment.clock.now() + timeoutMs;
      this.armDeadline(this.deadlineMs);
    }
    try {
      this.handler.onCall(this);
    } catch (error) {
      this.failByHandler(error);
    }
    this.checkAllReceived();
  }

  // --- receiving ---

  onHeaders(): void {
    // Trailers of a request mean nothing to gRPC but its end.
    this.hasPeerEnded = true;
    this.checkAllReceived();
  }

  protected override deliver(message: Message): void {
    try {
      this.handler.onMessage(this, message);
    } catch (error) {
      this.failByHandler(error);
      return;
    }
    if (this.isDraining) this.endAtBoundary();
  }

  protected override onAllReceived(): void {
    if (!this.reader.isAtBoundary)
      this.fail(
        GRPC_STATUS.INTERNAL,
        `the call ended within a message, ${String(this.reader.missingBytes)} bytes short`,
      );
    else if (this.isAnswered) this.end(false, '');
    else this.halfClose();
  }

  protected override onStreamLost(_errorCode: number, _isUnprocessed: boolean, reason: string): void {
    this.end(!this.isAnswered, reason);
  }

  private halfClose(): void {
    if (this.hasHalfClosed) return;
    this.hasHalfClosed = true;
    try {
      this.handler.onHalfClose(this);
    } catch (error) {
      this.failByHandler(error);
    }
  }

  // --- sending ---

  /** Compresses what is sent from now on. @order before the first message. */
  compressWith(encoding: Encoding): void {
    if (!this.hasSentHeaders) this.sendEncoding = encoding;
  }

  /** Sends the response's headers ahead of its first message, with fields of the handler's own. */
  sendHeaders(metadata: HeaderFields): void {
    if (this.hasSentHeaders || this.isEnded || this.stream.isClosed) return;
    this.hasSentHeaders = true;
    const fields = [':status', '200', 'content-type', 'application/grpc'];
    if (this.sendEncoding !== 'identity') fields.push('grpc-encoding', this.sendEncoding);
    fields.push('grpc-accept-encoding', ACCEPTED_ENCODINGS);
    for (let index = 0; index < metadata.length; index++) fields.push(metadata[index]!);
    this.stream.sendHeaders(fields, false);
  }

  sendMessage(parts: readonly Uint8Array[], length: number): void {
    if (this.isEnded || this.stream.isClosed) return;
    if (!this.hasSentHeaders) this.sendHeaders(NO_METADATA);
    this.writeMessage(parts, length);
  }

  finish(code: number, message = '', trailers: HeaderFields = []): void {
    if (this.isEnded || this.isAnswered) return;
    this.answer(code, message, trailers);
    if (this.hasHalfClosed && !this.hasPeerEnded && this.handler.takesLateMessages === true) this.linger();
    else this.close(false, '');
  }

  /** A failure found here: the peer hears the status, the handler that the call was cut short. */
  protected override fail(status: number, text: string): void {
    if (this.isEnded) return;
    if (!this.isAnswered) this.answer(status, text, []);
    this.close(true, text);
  }

  private answer(code: number, message: string, trailers: HeaderFields): void {
    this.isAnswered = true;
    const stream = this.stream;
    if (stream.isClosed) return;
    const fields = this.hasSentHeaders ? [] : [':status', '200', 'content-type', 'application/grpc'];
    fields.push('grpc-status', String(code));
    if (message !== '') fields.push('grpc-message', encodeStatusMessage(message));
    for (let index = 0; index < trailers.length; index++) fields.push(trailers[index]!);
    stream.sendHeaders(fields, true);
  }

  // --- the end ---

  /** Ends a call whose handler has not heard of it. */
  private refuseUnheard(code: number, message: string, trailers: HeaderFields): void {
    this.answer(code, message, trailers);
    this.stopCaller();
    this.markEnded();
    this.owner.onCallEnded(this);
  }

  private close(isCancelled: boolean, reason: string): void {
    this.stopCaller();
    this.end(isCancelled, reason);
  }

  /** A caller that is still sending learns that nobody listens, once what is queued has left. */
  private stopCaller(): void {
    if (!this.hasPeerEnded) this.stream.reset(H2_NO_ERROR);
  }

  private end(isCancelled: boolean, reason: string): void {
    if (!this.markEnded()) return;
    this.owner.onCallEnded(this);
    try {
      this.handler.onEnd(this, isCancelled, reason);
    } catch (error) {
      this.environment.onHandlerError(this.path, error);
    }
  }

  // --- draining ---

  /**
   * Ends a call that would go on for ever, as if the caller had half-closed: the handler replies, the caller reconnects.
   * @param isQuiet false: only after the next message, which shows that none is on its way; true: now, at a boundary.
   */
  drain(isQuiet: boolean): void {
    this.isDraining = true;
    if (isQuiet) this.endAtBoundary();
  }

  private endAtBoundary(): void {
    if (!this.isEnded && !this.hasPeerEnded && this.reader.isAtBoundary) this.halfClose();
  }

  private linger(): void {
    const timer = new WheelTimer(() => {
      this.stopCaller();
      this.onReset(this.stream, H2_NO_ERROR, false, 'the caller did not stop');
    });
    this.armTimer(timer, LINGER_MS);
  }
}
