/**
 * The seam between the HTTP/2 engine and its two neighbours: the owner of the socket below (net/socket) and the protocol
 * above (net/grpc). The engine itself is pure: bytes in, events and bytes out.
 */

/**
 * Header fields as a flat list: name, value, name, value, …; pseudo-header fields first.
 * Names are lower case; values are latin1 strings (each char is one byte).
 */
export type HeaderFields = readonly string[];

/** `errorCode` of `onReset` when no stream-level code was sent: the connection ended under the stream. Not a wire value. */
export const CONNECTION_LOST = -1;

/** What the owner of the socket gives to its engine. */
export interface Http2Host {
  /**
   * Output became pending. Called once until the output is taken; the host takes it (`takeOutput`) before the turn ends,
   * so that all that was said in one turn leaves as one write. May be called from inside any engine method but the
   * constructor, whose output (the connection preface) the host takes by itself. Never call back into the engine here.
   */
  onOutput(): void;
  /** The engine is finished: write what is pending, then close the socket. Called at most once. */
  onFinished(): void;
}

/** Connection-level events for the protocol above. */
export interface Http2ConnectionEvents {
  /** Server role: a peer opened a stream. The receiver sets `stream.events` before it returns. */
  onStream(stream: Http2StreamHandle, headers: HeaderFields, endStream: boolean): void;
  /** The peer's SETTINGS arrived or changed (first of all MAX_CONCURRENT_STREAMS): slots may have become free or scarce. */
  onSettings(): void;
  /** The peer will not process streams above `lastStreamId`; those streams get `onReset` with `isUnprocessed`. */
  onGoAway(lastStreamId: number, errorCode: number, debugData: Uint8Array): void;
  /** A stream ended, so a slot is free. Called after the stream's own last event. */
  onStreamClosed(stream: Http2StreamHandle): void;
}

/** Events of one stream. `onReset` and the two ends (ours and the peer's) are terminal together. */
export interface Http2StreamEvents {
  /**
   * Client role: response header fields (1xx are filtered out), or trailers when `isTrailers`. Server role: request
   * trailers only, so `isTrailers` and `endStream` are both true.
   */
  onHeaders(stream: Http2StreamHandle, headers: HeaderFields, endStream: boolean, isTrailers: boolean): void;
  /**
   * Payload of a DATA frame, or a piece of it, padding removed. @ownership `slice` is borrowed for the call: what shall be
   * kept is copied.
   */
  onData(stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void;
  /**
   * The stream is gone before both sides ended it: reset by the peer, by us on a protocol error, by GOAWAY or with its
   * connection (then `errorCode` is CONNECTION_LOST). `isUnprocessed`: the peer says it did nothing with it, or our
   * request never left, so repeating the request is safe.
   */
  onReset(stream: Http2StreamHandle, errorCode: number, isUnprocessed: boolean, reason: string): void;
  /** The stream's send queue fell to or below its low mark (64 KiB) after having been above. */
  onDrain(stream: Http2StreamHandle): void;
}

/** What the protocol above may do with a stream. */
export interface Http2StreamHandle {
  readonly id: number;
  events: Http2StreamEvents;
  /** A slot for the protocol above (its call object). */
  owner: unknown;
  /** Bytes given to `sendData` and not yet put into frames (flow control or a slow socket holds them). */
  readonly unsentBytes: number;
  /** True once nothing can be sent on it any more. */
  readonly isClosed: boolean;
  /** Response headers, or trailers (with `endStream`), which leave behind the queued data. No-op once closed. */
  sendHeaders(headers: HeaderFields, endStream: boolean): void;
  /**
   * Queues bytes for DATA frames in order. @ownership the parts must not change until they are framed or the stream is
   * closed; they are not copied before.
   */
  sendData(parts: readonly Uint8Array[], length: number, endStream: boolean): void;
  /** Returns stream-level receive credit for `bytes` of payload (connection-level credit returns on receipt, by itself). */
  returnCredit(bytes: number): void;
  /**
   * Ends both directions now and drops queued data; the stream gets no further event but `onStreamClosed` of the
   * connection. One exception: `reset(NO_ERROR)` after our `endStream` lets what is queued leave first (a server that has
   * answered and does not want the rest of the request). No-op once closed.
   */
  reset(errorCode: number): void;
}
