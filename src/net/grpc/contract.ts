/**
 * The gRPC seam: what receivers, forwarders, the balancer and the lab see of the network. Implementations live beside
 * this file (server and client calls) and in net/socket (listener, dialer).
 */
import type { HeaderFields } from '../http2/contract.js';

/** One gRPC message: the uncompressed body, without its 5-byte prefix. @ownership its receiver's. */
export interface Message {
  /** One or more, in order; none when it is empty. Views that are made when asked for: ask once. */
  readonly parts: readonly Uint8Array[];
  /** Sum of the parts' lengths. */
  readonly length: number;
  /** Memory kept alive by holding the parts. @units bytes */
  readonly pinnedBytes: number;
  /**
   * Its memory may be used for others: the parts must not be looked at any more. Idempotent. Due from its receiver on every
   * path: what is not given back stays charged to the budget, with all that its neighbours gave back.
   */
  release(): void;
  /** Keeps the first `length` bytes and lets go of the rest. @order only with one part. */
  shrink(length: number): void;
}

/** Outcome of a call as gRPC tells it. */
export interface Status {
  /** gRPC status code, 0 = OK. */
  readonly code: number;
  /** Percent-decoded text. */
  readonly message: string;
  /** Trailers (flat, lower case), `grpc-status` and `grpc-message` included; empty when made locally. */
  readonly trailers: HeaderFields;
  /** True when no status came from the peer: connection lost, reset, deadline, protocol error. */
  readonly isLocal: boolean;
  /** The peer certainly did not process the call (REFUSED_STREAM, above GOAWAY's last id, never sent). */
  readonly isUnprocessed: boolean;
}

/** Who is at the other end. */
export interface Peer {
  /** IP address or unix socket path, without port. IPv6 without brackets or zone. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

// --- server side ---

/** Callbacks of one method path. One instance serves all calls of its path; per-call data goes to `call.state`. */
export interface MethodHandler {
  /**
   * True: messages that cross the answer of a drained call, which the caller has sent in good faith, still come to
   * `onMessage` between `finish` and `onEnd`. Else nothing comes after `finish` but `onEnd`, at once.
   */
  readonly takesLateMessages?: boolean;
  onCall(call: ServerCall): void;
  /** One complete message. Stream credit for it returns when this returns, unless the call is paused. */
  onMessage(call: ServerCall, message: Message): void;
  /** The caller sent its last message, or is to send no more because we drain. */
  onHalfClose(call: ServerCall): void;
  /**
   * Exactly once, last: the call is over. `isCancelled` false: our `finish` was sent; true: the caller reset it, its
   * deadline passed, or its connection went away first. Messages delivered before stay valid.
   */
  onEnd(call: ServerCall, isCancelled: boolean, reason: string): void;
}

export interface ServerCall {
  readonly path: string;
  readonly metadata: HeaderFields;
  readonly peer: Peer;
  /** Absolute, in clock milliseconds; Infinity without one. */
  readonly deadlineMs: number;
  readonly isEnded: boolean;
  /** Bytes of answers handed over and not yet framed for the socket. */
  readonly unsentBytes: number;
  /** The handler's own. */
  state: unknown;
  /** Sends the response's headers, with these fields beside gRPC's own, before the first message would. Idempotent. */
  sendHeaders(metadata: HeaderFields): void;
  sendMessage(parts: readonly Uint8Array[], length: number): void;
  /** Ends the call: headers if not yet sent (else trailers) with the status. Idempotent. */
  finish(code: number, message?: string, trailers?: HeaderFields): void;
  /** Stops / continues returning stream credit: the caller stops after one window. Counted: two pauses need two resumes. */
  pause(): void;
  resume(): void;
}

/** Where receivers register their methods (the grpc-server plugin). */
export interface MethodRegistry {
  /** @throws SAT_PLG_DUPLICATE_METHOD when the path is taken. */
  register(path: string, handler: MethodHandler): void;
}

// --- client side ---

/** Callbacks of one outgoing call; one instance may serve many calls, telling them apart by `call.state`. */
export interface ClientCallHandler {
  onMessage(call: ClientCall, message: Message): void;
  /** Exactly once, last. */
  onStatus(call: ClientCall, status: Status): void;
}

export interface ClientCall {
  readonly connection: ClientConnection;
  /** The response's, gRPC's own fields included; empty until they are here, and where there are trailers only. */
  readonly headers: HeaderFields;
  readonly isEnded: boolean;
  /** Bytes handed over and not yet framed for the socket. */
  readonly unsentBytes: number;
  state: unknown;
  /** Queues one message; the 5-byte prefix is added. @ownership parts stay unchanged until onStatus. */
  sendMessage(parts: readonly Uint8Array[], length: number): void;
  halfClose(): void;
  /** RST_STREAM(CANCEL); `onStatus` follows with CANCELLED and `isLocal`. Idempotent. */
  cancel(reason: string): void;
}

export interface CallOptions {
  /** Extra request header fields, flat and lower case. */
  readonly metadata?: HeaderFields;
  /** Absolute, in clock milliseconds; sent on as grpc-timeout. Infinity or absent: none. */
  readonly deadlineMs?: number;
  /** How the messages sent are compressed; absent: not at all. */
  readonly compression?: 'gzip' | 'deflate';
  /** The response's messages are thrown away unread, so that nothing in them can fail the call; absent: they are read. */
  readonly ignoresReply?: boolean;
}

/** One connection to one address. */
export interface ClientConnection {
  /** Connected, SETTINGS of the peer seen, not draining, not closed. */
  readonly isReady: boolean;
  /** Streams that may be opened right now (the peer's MAX_CONCURRENT_STREAMS less those open); 0 when not ready. */
  readonly freeStreams: number;
  /** The peer's MAX_CONCURRENT_STREAMS; Infinity when it named none. */
  readonly maxConcurrentStreams: number;
  readonly openStreams: number;
  /** Clock time of the last sign that the peer takes or gives bytes: data read, or a write that drained. */
  readonly lastProgressMs: number;
  /** Opens a call, or returns null when there is no free stream. */
  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null;
  /** No new calls; closes when the open ones are done. */
  drain(): void;
  /** Closes at once; open calls end with UNAVAILABLE. */
  destroy(reason: string): void;
}

/** Life of a dialled connection. */
export interface ClientConnectionEvents {
  /** The peer's SETTINGS are here: calls may be opened. */
  onReady(connection: ClientConnection): void;
  /** A stream slot became free, or the peer changed its limit. */
  onFreeStream(connection: ClientConnection): void;
  /** GOAWAY from the peer: no new calls here; open ones may still finish. */
  onDraining(connection: ClientConnection, reason: string): void;
  /** Exactly once, last: could not connect, or closed. `error` is null after an orderly end. */
  onClosed(connection: ClientConnection, error: Error | null): void;
}
