/**
 * HOT. One call made by us.
 *
 *   open ──halfClose──▶ half-closed ──status, trailers-only, reset, deadline, cancel, connection lost──▶ ended
 *     └───────────────────────────────────────────────────────────────────────────────────────────────▶ ended
 */
import { CONNECTION_LOST, type HeaderFields, type Http2StreamHandle } from '../http2/contract.js';
import { H2_CANCEL } from '../http2/errors.js';
import type { CallEnvironment } from './call-environment.js';
import type { Encoding } from './compression.js';
import type { ClientCall, ClientCallHandler, ClientConnection, Message, Status } from './contract.js';
import { GrpcCall } from './grpc-call.js';
import { fieldOf } from './metadata.js';
import { decodeStatusMessage } from './percent.js';
import { resetCodeOf, statusOfHttp, statusOfReset } from './status-map.js';
import { GRPC_STATUS } from './status.js';

const NO_FIELDS: HeaderFields = [];
const NO_PARTS: readonly Uint8Array[] = [];

export class OutgoingCall extends GrpcCall implements ClientCall {
  readonly connection: ClientConnection;
  /** The response's headers, pseudo-headers included; empty before they came and after an answer of trailers only. */
  headers: HeaderFields = NO_FIELDS;
  private readonly handler: ClientCallHandler;
  /** Absolute, in clock milliseconds; Infinity without one. */
  private deadlineMs = Infinity;
  private hasHalfClosed = false;
  private ignoresReply = false;
  /** What the response's headers or trailers said; null before. */
  private received: Status | null = null;

  constructor(
    environment: CallEnvironment,
    stream: Http2StreamHandle,
    path: string,
    connection: ClientConnection,
    handler: ClientCallHandler,
  ) {
    super(environment, stream, path);
    this.connection = connection;
    this.handler = handler;
  }

  /** @order once, right after the request's headers were sent. */
  begin(deadlineMs: number, encoding: Encoding, ignoresReply: boolean): void {
    this.sendEncoding = encoding;
    this.ignoresReply = ignoresReply;
    this.deadlineMs = deadlineMs;
    this.armDeadline(deadlineMs);
  }

  // --- sending ---

  sendMessage(parts: readonly Uint8Array[], length: number): void {
    if (!this.isEnded && !this.hasHalfClosed) this.writeMessage(parts, length);
  }

  halfClose(): void {
    if (this.isEnded || this.hasHalfClosed) return;
    this.hasHalfClosed = true;
    this.stream.sendData(NO_PARTS, 0, true);
  }

  cancel(reason: string): void {
    if (!this.isEnded) this.fail(GRPC_STATUS.CANCELLED, reason);
  }

  // --- receiving ---

  onHeaders(_stream: Http2StreamHandle, headers: HeaderFields, endStream: boolean, isTrailers: boolean): void {
    if (endStream) this.hasPeerEnded = true;
    if (this.isEnded) return;
    if (isTrailers || endStream) this.received = statusFrom(headers);
    else if (!this.acceptHeaders(headers)) return;
    this.checkAllReceived();
  }

  private acceptHeaders(headers: HeaderFields): boolean {
    const httpStatus = Number(fieldOf(headers, ':status'));
    const contentType = fieldOf(headers, 'content-type') ?? '';
    if (httpStatus !== 200 || !contentType.startsWith('application/grpc')) {
      const status = fieldOf(headers, 'grpc-status') === undefined ? notGrpc(headers) : statusFrom(headers);
      this.end(status);
      return false;
    }
    this.headers = headers;
    const encoding = fieldOf(headers, 'grpc-encoding');
    if (this.ignoresReply || this.setReceiveEncoding(encoding)) return true;
    this.fail(GRPC_STATUS.INTERNAL, `the response's grpc-encoding ${encoding ?? ''} is not supported`);
    return false;
  }

  override onData(stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void {
    if (!this.ignoresReply) {
      super.onData(stream, slice, endStream);
    } else if (endStream) {
      this.hasPeerEnded = true;
      this.checkAllReceived();
    } else {
      stream.returnCredit(slice.length);
    }
  }

  protected override deliver(message: Message): void {
    try {
      this.handler.onMessage(this, message);
    } catch (error) {
      this.failByHandler(error);
    }
  }

  protected override onAllReceived(): void {
    const status = this.received ?? localStatus(GRPC_STATUS.INTERNAL, 'the response ended without a status', false);
    if (status.code === GRPC_STATUS.OK && !this.reader.isAtBoundary) {
      this.fail(
        GRPC_STATUS.INTERNAL,
        `the response ended within a message, ${String(this.reader.missingBytes)} bytes short`,
      );
    } else {
      this.end(status);
    }
  }

  protected override onStreamLost(errorCode: number, isUnprocessed: boolean, reason: string): void {
    const isLost = isUnprocessed || errorCode === CONNECTION_LOST;
    let code = isLost ? GRPC_STATUS.UNAVAILABLE : statusOfReset(errorCode);
    // A server cancels what is past its deadline, and may be quicker at it than the coarse timers here.
    if (code === GRPC_STATUS.CANCELLED && this.environment.clock.now() >= this.deadlineMs) {
      code = GRPC_STATUS.DEADLINE_EXCEEDED;
    }
    this.end(this.received ?? localStatus(code, reason, isUnprocessed));
  }

  // --- the end ---

  protected override fail(status: number, text: string): void {
    if (this.isEnded) return;
    this.stream.reset(resetCodeOf(status));
    this.end(localStatus(status, text, false));
  }

  private end(status: Status): void {
    if (!this.markEnded()) return;
    // A server that ended first wants no more of the request.
    if (!this.hasHalfClosed || this.stream.unsentBytes > 0 || !this.hasPeerEnded) this.stream.reset(H2_CANCEL);
    try {
      this.handler.onStatus(this, status);
    } catch (error) {
      this.environment.onHandlerError(this.path, error);
    }
  }
}

/** A status made here. */
export function localStatus(code: number, message: string, isUnprocessed: boolean): Status {
  return { code, message, trailers: NO_FIELDS, isLocal: true, isUnprocessed };
}

function statusFrom(fields: HeaderFields): Status {
  const text = fieldOf(fields, 'grpc-status');
  if (text === undefined) return notGrpc(fields);
  const code = /^\d{1,9}$/.test(text) ? Number(text) : GRPC_STATUS.UNKNOWN;
  const message = decodeStatusMessage(fieldOf(fields, 'grpc-message') ?? '');
  return { code, message, trailers: fields, isLocal: false, isUnprocessed: false };
}

/** The answer of something that does not speak gRPC, most often a proxy. */
function notGrpc(fields: HeaderFields): Status {
  const httpStatus = fieldOf(fields, ':status');
  if (httpStatus === undefined) return localStatus(GRPC_STATUS.UNKNOWN, 'the trailers carry no grpc-status', false);
  const contentType = fieldOf(fields, 'content-type') ?? 'no content-type';
  const text = `the answer is not gRPC: HTTP status ${httpStatus}, ${contentType}`;
  return localStatus(statusOfHttp(Number(httpStatus)), text, false);
}
