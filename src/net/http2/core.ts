/**
 * HOT. What all parts of a connection share: its streams and their ends, its way out, and the two kinds of error.
 *
 * Inbound (frames of the peer) and Http2Connection (the owner's calls) both work on it, and neither knows the other.
 */
import { CONNECTION_LOST } from './contract.js';
import type { HeaderFields, Http2ConnectionEvents, Http2Host } from './contract.js';
import type { Http2Counters } from './counters.js';
import { DataScheduler, SEND_LOW_MARK_BYTES } from './data-scheduler.js';
import type { SchedulerEvents } from './data-scheduler.js';
import { errorCodeName, H2_ENHANCE_YOUR_CALM, H2_NO_ERROR, H2_PROTOCOL_ERROR, H2_STREAM_CLOSED } from './errors.js';
import { FloodGuard, GUARDS } from './flood-guard.js';
import type { Guard } from './flood-guard.js';
import { FLAG_END_STREAM, FRAME_DATA, MAX_U31 } from './frame.js';
import { FrameWriter } from './frame-writer.js';
import { Output } from './output.js';
import { PeerSettings, PROTOCOL_WINDOW_BYTES } from './settings.js';
import type { Http2Settings } from './settings.js';
import { CLOSED, HALF_CLOSED_LOCAL, HALF_CLOSED_REMOTE, OPEN } from './stream.js';
import type { Http2Stream, StreamOwner } from './stream.js';
import { ENDED, FORGOTTEN, RESET_BY_PEER, RESET_BY_US, StreamTable } from './stream-table.js';

export class ConnectionCore implements StreamOwner, SchedulerEvents {
  readonly isServer: boolean;
  readonly settings: Http2Settings;
  readonly events: Http2ConnectionEvents;
  readonly counters: Http2Counters;
  readonly peer = new PeerSettings();
  readonly streams: StreamTable;
  readonly output = new Output();
  readonly writer = new FrameWriter(this.output);
  readonly scheduler = new DataScheduler(this.output, this);
  readonly guard = new FloodGuard();
  /** Nothing is read or begun any more. */
  isOver = false;
  /** Why; '' while it is not over, and after an orderly end. */
  closeReason = '';
  /** `onOutput` was called and the output is not taken yet. */
  isSignalled = false;
  /** Our INITIAL_WINDOW_SIZE in force: the protocol's until the peer has acknowledged ours. */
  streamWindowBytes = PROTOCOL_WINDOW_BYTES;
  /** Highest own stream id whose request left the engine. */
  takenStreamId = 0;
  /** Streams of the peer above this are not served: the last id of the GOAWAY we sent. */
  goAwaySent = MAX_U31;
  /** No own streams are opened any more: we, or the peer, sent GOAWAY. */
  isDraining = false;
  isPeerDraining = false;
  private readonly host: Http2Host;

  constructor(
    isServer: boolean,
    settings: Http2Settings,
    events: Http2ConnectionEvents,
    host: Http2Host,
    counters: Http2Counters,
  ) {
    this.isServer = isServer;
    this.settings = settings;
    this.events = events;
    this.host = host;
    this.counters = counters;
    this.streams = new StreamTable(isServer);
  }

  // --- what streams ask for (StreamOwner) ---

  sendHeadersOn(stream: Http2Stream, headers: HeaderFields, endStream: boolean): void {
    if (stream.isClosed) return;
    stream.isEndQueued = endStream;
    if (stream.unsentBytes > 0) {
      if (endStream) stream.trailers = headers;
      return;
    }
    this.writer.writeHeaders(stream.id, headers, endStream, this.peer.maxFrameBytes);
    this.signal();
    if (endStream) this.endLocal(stream);
  }

  sendDataOn(stream: Http2Stream, parts: readonly Uint8Array[], endStream: boolean): void {
    if (stream.isClosed) return;
    stream.enqueue(parts);
    stream.isEndQueued = endStream;
    if (stream.unsentBytes > 0) {
      if (stream.unsentBytes > SEND_LOW_MARK_BYTES) stream.isAboveMark = true;
      this.scheduler.consider(stream);
      if (this.scheduler.hasWork) this.signal();
    } else if (endStream) {
      this.output.writeFrameHeader(0, FRAME_DATA, FLAG_END_STREAM, stream.id);
      this.signal();
      this.endLocal(stream);
    }
  }

  returnCreditOn(stream: Http2Stream, bytes: number): void {
    if (stream.state >= HALF_CLOSED_REMOTE) return;
    stream.owedCredit += bytes;
    if (stream.owedCredit * 2 < this.streamWindowBytes || stream.owedCredit === 0) return;
    this.writer.writeWindowUpdate(stream.id, stream.owedCredit);
    stream.receiveWindow += stream.owedCredit;
    stream.owedCredit = 0;
    this.signal();
  }

  resetByUs(stream: Http2Stream, errorCode: number): void {
    if (stream.state === CLOSED) return;
    if (errorCode === H2_NO_ERROR && stream.isEndQueued && stream.unsentBytes > 0) {
      stream.isResetQueued = true;
      return;
    }
    stream.state = CLOSED;
    this.writer.writeReset(stream.id, errorCode);
    this.signal();
    this.release(stream, RESET_BY_US);
  }

  // --- what the scheduler reports (SchedulerEvents) ---

  onQueueSent(stream: Http2Stream, isEndFramed: boolean): void {
    const trailers = stream.trailers;
    if (trailers !== null) {
      stream.trailers = null;
      this.writer.writeHeaders(stream.id, trailers, true, this.peer.maxFrameBytes);
    } else if (!isEndFramed) return;
    this.endLocal(stream);
    if (stream.isResetQueued) this.resetByUs(stream, H2_NO_ERROR);
  }

  onDataSent(stream: Http2Stream): void {
    this.guard.earn();
    if (!stream.isAboveMark || stream.unsentBytes > SEND_LOW_MARK_BYTES || stream.state === CLOSED) return;
    stream.isAboveMark = false;
    stream.events.onDrain(stream);
  }

  // --- ends of streams ---

  private endLocal(stream: Http2Stream): void {
    stream.state = stream.state === OPEN ? HALF_CLOSED_LOCAL : CLOSED;
    if (stream.state === CLOSED) this.release(stream, ENDED);
  }

  /** Both sides have ended, and the receiver has heard of it. */
  releaseIfEnded(stream: Http2Stream): void {
    if (stream.state === CLOSED) this.release(stream, ENDED);
  }

  /** Ends a stream before its time and tells its receiver. */
  end(stream: Http2Stream, how: number, errorCode: number, isUnprocessed: boolean, reason: string): void {
    stream.state = CLOSED;
    this.scheduler.forget(stream);
    stream.dropQueue();
    stream.events.onReset(stream, errorCode, isUnprocessed, reason);
    this.release(stream, how);
  }

  /** The last step of every stream; does nothing the second time. */
  private release(stream: Http2Stream, how: number): void {
    if (!this.streams.remove(stream.id, how)) return;
    this.scheduler.forget(stream);
    stream.dropQueue();
    this.events.onStreamClosed(stream);
    this.finishIfIdle();
  }

  // --- frames of streams that are gone ---

  /** DATA or HEADERS on a stream that is not open. @source RFC 9113 §5.1. */
  onFrameOfClosed(streamId: number, isHeaders: boolean): void {
    if (this.streams.isIdle(streamId)) {
      this.fail(H2_PROTOCOL_ERROR, 'a frame on an idle stream');
      return;
    }
    if (this.isBeyondGoAway(streamId)) return;
    const how = this.streams.recall(streamId);
    if (how === ENDED) this.fail(H2_STREAM_CLOSED, 'a frame after the end of its stream');
    else if (how === FORGOTTEN && isHeaders && this.isServer)
      this.fail(H2_PROTOCOL_ERROR, 'a stream id below the last one');
    else if (how !== RESET_BY_US) this.failStream(streamId, H2_STREAM_CLOSED, 'a frame on a closed stream');
  }

  /** The peer opened it before it got our GOAWAY, which tells it that nothing was done with it. */
  isBeyondGoAway(streamId: number): boolean {
    return this.isServer && streamId > this.goAwaySent;
  }

  // --- errors and the end ---

  /**
   * Sends GOAWAY. NO_ERROR: no streams above `lastId` are served, the engine finishes when those open are done. Any other
   * code ends all at once.
   */
  goAway(errorCode: number, lastId: number, debug: string): void {
    if (this.isOver) return;
    this.writer.writeGoAway(lastId, errorCode, debug);
    this.signal();
    if (errorCode !== H2_NO_ERROR) {
      this.shut(debug === '' ? errorCodeName(errorCode) : debug, true);
      return;
    }
    if (lastId < this.goAwaySent) this.goAwaySent = lastId;
    this.isDraining = true;
    this.finishIfIdle();
  }

  /** A stream error: RST_STREAM, and the stream (if there is one) is over. @source RFC 9113 §5.4.2. */
  failStream(streamId: number, errorCode: number, reason: string): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined && this.streams.isIdle(streamId)) {
      // RST_STREAM must not be sent on an idle stream.
      this.fail(errorCode, reason);
      return;
    }
    this.writer.writeReset(streamId, errorCode);
    this.signal();
    this.counters.countStreamError(errorCode);
    if (stream !== undefined) this.end(stream, RESET_BY_US, errorCode, false, reason);
    else this.streams.remember(streamId, RESET_BY_US);
    if (this.guard.countProvokedReset()) this.trip(GUARDS.provokedReset);
  }

  /** A connection error: GOAWAY, and all is over. @source RFC 9113 §5.4.1. */
  fail(errorCode: number, reason: string): void {
    if (this.isOver) return;
    this.counters.countConnectionError(errorCode);
    this.goAway(errorCode, this.streams.lastPeerId, reason);
  }

  trip(guard: Guard): void {
    this.counters.countGuardTrip(guard.name);
    this.fail(H2_ENHANCE_YOUR_CALM, `flood guard ${guard.name}`);
  }

  shut(reason: string, isHostTold: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.closeReason = reason;
    this.scheduler.isWritable = false;
    for (const stream of this.streams.list()) {
      if (stream.state === CLOSED) continue;
      const isUnsent = !this.isServer && stream.id > this.takenStreamId;
      this.end(stream, RESET_BY_PEER, CONNECTION_LOST, isUnsent, reason);
    }
    if (isHostTold) this.host.onFinished();
  }

  /** After GOAWAY in either direction, the last stream takes the connection along. */
  finishIfIdle(): void {
    if (this.isOver || this.streams.size > 0) return;
    const isLast = this.isServer ? this.goAwaySent < MAX_U31 : this.isDraining || this.isPeerDraining;
    if (!isLast) return;
    this.isOver = true;
    this.host.onFinished();
  }

  signal(): void {
    if (this.isSignalled) return;
    this.isSignalled = true;
    this.host.onOutput();
  }
}
