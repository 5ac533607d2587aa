/**
 * HOT. One stream: its state, its windows and its queue of unsent bytes. It decides nothing by itself; the connection
 * changes its fields.
 *
 *              HEADERS                     END_STREAM of the peer
 *     (idle) ───────────▶ OPEN ───────────────────────────▶ HALF_CLOSED_REMOTE
 *                          │ our END_STREAM framed                 │ our END_STREAM framed
 *                          ▼                                       ▼
 *                  HALF_CLOSED_LOCAL ──────────────────────────▶ CLOSED ◀── RST_STREAM of either side
 *                                      END_STREAM of the peer
 *
 * Idle and closed streams have no object; push does not exist here, so neither do the reserved states.
 * @source RFC 9113 §5.1.
 */
import { Ring } from '../../base/index.js';
import type { HeaderFields, Http2StreamEvents, Http2StreamHandle } from './contract.js';
import type { Output } from './output.js';

export const OPEN = 0;
export const HALF_CLOSED_LOCAL = 1;
export const HALF_CLOSED_REMOTE = 2;
export const CLOSED = 3;

/** What a stream asks of its connection. */
export interface StreamOwner {
  sendHeadersOn(stream: Http2Stream, headers: HeaderFields, endStream: boolean): void;
  sendDataOn(stream: Http2Stream, parts: readonly Uint8Array[], endStream: boolean): void;
  returnCreditOn(stream: Http2Stream, bytes: number): void;
  resetByUs(stream: Http2Stream, errorCode: number): void;
}

export class Http2Stream implements Http2StreamHandle {
  readonly id: number;
  events: Http2StreamEvents;
  owner: unknown = null;
  state = OPEN;
  /** Bytes the peer still lets us send; negative after it lowered its initial window. */
  sendWindow: number;
  /** Bytes we still let the peer send. */
  receiveWindow: number;
  /** Consumed, not yet told to the peer. */
  owedCredit = 0;
  unsentBytes = 0;
  /** Our side was ended by the user; END_STREAM leaves with the last of the queue. */
  isEndQueued = false;
  /** `unsentBytes` was above the low mark, so `onDrain` is due when it falls. */
  isAboveMark = false;
  /** The queue holds bytes behind which RST_STREAM(NO_ERROR) shall leave. */
  isResetQueued = false;
  /** The first (final) header list of the peer was seen; the next one is trailers. */
  hasHeaders = false;
  /** What the peer's content-length still promises; -1: it promised nothing. */
  contentLeft = -1;
  /** Trailers behind the queued bytes. */
  trailers: HeaderFields | null = null;
  /** Neighbours in the connection's list of streams ready to send. */
  nextReady: Http2Stream | null = null;
  previousReady: Http2Stream | null = null;
  isReady = false;
  private readonly connection: StreamOwner;
  /** Unsent parts; null until there are any, for most inbound streams never send. */
  private queue: Ring<Uint8Array> | null = null;
  /** Bytes of the first part that are sent. */
  private sentOfFirst = 0;

  constructor(
    id: number,
    connection: StreamOwner,
    events: Http2StreamEvents,
    sendWindow: number,
    receiveWindow: number,
  ) {
    this.id = id;
    this.connection = connection;
    this.events = events;
    this.sendWindow = sendWindow;
    this.receiveWindow = receiveWindow;
  }

  get isClosed(): boolean {
    return this.state === CLOSED || this.isEndQueued;
  }

  sendHeaders(headers: HeaderFields, endStream: boolean): void {
    this.connection.sendHeadersOn(this, headers, endStream);
  }

  sendData(parts: readonly Uint8Array[], _length: number, endStream: boolean): void {
    this.connection.sendDataOn(this, parts, endStream);
  }

  returnCredit(bytes: number): void {
    this.connection.returnCreditOn(this, bytes);
  }

  reset(errorCode: number): void {
    this.connection.resetByUs(this, errorCode);
  }

  /** The peer ended its side; the stream stays in the table until its receiver has heard of it. */
  endRemote(): void {
    this.state = this.state === OPEN ? HALF_CLOSED_REMOTE : CLOSED;
  }

  /** Queues parts for DATA frames. */
  enqueue(parts: readonly Uint8Array[]): void {
    const queue = (this.queue ??= new Ring<Uint8Array>(8));
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index]!;
      if (part.length === 0) continue;
      queue.push(part);
      this.unsentBytes += part.length;
    }
  }

  /** Moves the first `count` queued bytes (no more than there are) into the output. */
  dequeueInto(output: Output, count: number): void {
    const queue = this.queue!;
    this.unsentBytes -= count;
    let left = count;
    while (left > 0) {
      const part = queue.peek()!;
      const from = this.sentOfFirst;
      if (part.length - from > left) {
        output.copy(part, from, from + left);
        this.sentOfFirst = from + left;
        return;
      }
      output.copy(part, from, part.length);
      left -= part.length - from;
      this.sentOfFirst = 0;
      queue.shift();
    }
  }

  /** Lets go of everything queued. */
  dropQueue(): void {
    this.queue = null;
    this.sentOfFirst = 0;
    this.unsentBytes = 0;
    this.trailers = null;
  }
}
