/** Unary calls as promises, for cold paths, on both sides. */
import { SatelliteError } from '../../base/index.js';
import type { HeaderFields } from '../http2/contract.js';
import { localStatus } from './client-call.js';
import type {
  CallOptions,
  ClientCall,
  ClientCallHandler,
  ClientConnection,
  Message,
  MethodHandler,
  Peer,
  ServerCall,
  Status,
} from './contract.js';
import { CALL_FAILED } from './errors.js';
import { takeBytes } from './sliced-message.js';
import { GRPC_STATUS, statusName } from './status.js';

/** What a unary handler knows of its caller. */
export interface UnaryContext {
  readonly metadata: HeaderFields;
  readonly peer: Peer;
  /** Clock milliseconds; Infinity without one. */
  readonly deadlineMs: number;
}

/** An error that a unary handler throws to answer with a status of its choice. */
export function statusError(code: number, message: string): SatelliteError {
  return new SatelliteError(CALL_FAILED, message, { grpcStatus: code });
}

/**
 * A handler for a unary method from a function of bytes to bytes. What it throws becomes the status: the one of a
 * `statusError`, else INTERNAL, reported as a bug.
 */
export function unaryMethod(
  handle: (request: Uint8Array, context: UnaryContext) => Promise<Uint8Array> | Uint8Array,
  onError: (error: unknown) => void = () => undefined,
): MethodHandler {
  return new UnaryMethod(handle, onError);
}

class UnaryMethod implements MethodHandler {
  private readonly handle: (request: Uint8Array, context: UnaryContext) => Promise<Uint8Array> | Uint8Array;
  private readonly onError: (error: unknown) => void;

  constructor(
    handle: (request: Uint8Array, context: UnaryContext) => Promise<Uint8Array> | Uint8Array,
    onError: (error: unknown) => void,
  ) {
    this.handle = handle;
    this.onError = onError;
  }

  onCall(call: ServerCall): void {
    call.state = null;
  }

  onMessage(call: ServerCall, message: Message): void {
    const request = takeBytes(message);
    if (call.state === null) call.state = request;
    else call.finish(GRPC_STATUS.UNIMPLEMENTED, 'more than one request message on a unary call');
  }

  onHalfClose(call: ServerCall): void {
    const request = call.state as Uint8Array | null;
    if (request === null) call.finish(GRPC_STATUS.UNIMPLEMENTED, 'no request message on a unary call');
    else void this.answer(call, request);
  }

  onEnd(): void {
    // An answer that comes later is dropped by the call.
  }

  private async answer(call: ServerCall, request: Uint8Array): Promise<void> {
    try {
      const response = await this.handle(request, call);
      call.sendMessage([response], response.length);
      call.finish(GRPC_STATUS.OK);
    } catch (error) {
      if (error instanceof SatelliteError && error.code === CALL_FAILED.code) {
        call.finish(error.grpcStatus, error.message);
      } else {
        this.onError(error);
        call.finish(GRPC_STATUS.INTERNAL, 'internal error');
      }
    }
  }
}

/** Outcome of a unary call; `response` is null unless the status is OK. */
export interface UnaryReply {
  readonly status: Status;
  readonly response: Uint8Array | null;
}

/**
 * Makes a unary call. Never rejects: every failure is a status, so that a relay passes it on as it is.
 * @returns UNAVAILABLE (local, unprocessed) when the connection has no free stream.
 */
export function callUnary(
  connection: Pick<ClientConnection, 'openCall'>,
  path: string,
  request: Uint8Array,
  options: CallOptions = {},
): Promise<UnaryReply> {
  return new Promise((resolve) => {
    const call = connection.openCall(path, new UnaryCall(resolve), options);
    if (call === null) {
      resolve({
        status: localStatus(GRPC_STATUS.UNAVAILABLE, 'no free stream on the connection', true),
        response: null,
      });
      return;
    }
    call.sendMessage([request], request.length);
    call.halfClose();
  });
}

/** The response. @throws SAT_GRPC_STATUS when the status is not OK. */
export function unaryResponse(reply: UnaryReply): Uint8Array {
  const { status, response } = reply;
  if (response !== null) return response;
  throw statusError(status.code, `${statusName(status.code)}: ${status.message}`);
}

class UnaryCall implements ClientCallHandler {
  private readonly resolve: (reply: UnaryReply) => void;
  private response: Uint8Array | null = null;
  private count = 0;

  constructor(resolve: (reply: UnaryReply) => void) {
    this.resolve = resolve;
  }

  onMessage(call: ClientCall, message: Message): void {
    this.response = takeBytes(message);
    if (++this.count > 1) call.cancel('more than one response message on a unary call');
  }

  onStatus(_call: ClientCall, status: Status): void {
    if (status.code !== GRPC_STATUS.OK) this.resolve({ status, response: null });
    else if (this.count === 1) this.resolve({ status, response: this.response });
    else
      this.resolve({
        status: localStatus(GRPC_STATUS.INTERNAL, 'OK without a response message', false),
        response: null,
      });
  }
}
