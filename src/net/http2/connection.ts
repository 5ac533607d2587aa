/**
 * HOT. One HTTP/2 connection, either role, as a pure machine: chunks in; events, and bytes to write, out.
 *
 *   chunk ─▶ FrameReader ─▶ handlers here ─▶ events (onStream, onHeaders, onData, …)
 *   calls (openStream, sendData, …) ─▶ FrameWriter / DataScheduler ─▶ Output ─▶ takeOutput
 *
 * Whatever a peer sends, `receive` does not throw: a broken rule ends the stream (RST_STREAM) or the connection (GOAWAY),
 * as RFC 9113 §5.4 says. Events are called when the state is consistent; they may call back into the connection.
 * @ownership Chunks become the slices of `onData` (see ChunkSlicer); the caller must not write into them again.
 */
import { EMPTY_BYTES } from '../../base/index.js';
import { HPACK_LIST_TOO_LARGE, HPACK_OK, HpackDecoder, hpackErrorOf } from '../hpack/index.js';
import { ChunkSlicer } from './chunk-slicer.js';
import { ClosedStreams, ENDED, FORGOTTEN, RESET_BY_PEER, RESET_BY_US } from './closed-streams.js';
import { CONNECTION_LOST } from './contract.js';
import type {
  HeaderFields,
  Http2ConnectionEvents,
  Http2Host,
  Http2StreamEvents,
  Http2StreamHandle,
} from './contract.js';
import { countUp, Http2Counters } from './counters.js';
import { DataScheduler, SEND_LOW_MARK_BYTES } from './data-scheduler.js';
import type { SchedulerEvents } from './data-scheduler.js';
import {
  errorCodeName,
  H2_COMPRESSION_ERROR,
  H2_ENHANCE_YOUR_CALM,
  H2_FLOW_CONTROL_ERROR,
  H2_FRAME_SIZE_ERROR,
  H2_NO_ERROR,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
  H2_STREAM_CLOSED,
} from './errors.js';
import { FloodGuard, GUARDS, MAX_BLOCK_RATIO, MAX_CONTINUATIONS, MAX_PENDING_ANSWER_BYTES } from './flood-guard.js';
import type { Guard } from './flood-guard.js';
import {
  CLIENT_PREFACE,
  FLAG_ACK,
  FLAG_END_HEADERS,
  FLAG_END_STREAM,
  FLAG_PADDED,
  FLAG_PRIORITY,
  FRAME_CONTINUATION,
  FRAME_DATA,
  FRAME_GOAWAY,
  FRAME_HEADERS,
  FRAME_PING,
  FRAME_PRIORITY,
  FRAME_PUSH_PROMISE,
  FRAME_RST_STREAM,
  FRAME_SETTINGS,
  FRAME_WINDOW_UPDATE,
  MAX_U31,
  readU32,
} from './frame.js';
import { FrameReader, SKIP_PAYLOAD, STOP_READING, TAKE_DATA, TAKE_WHOLE } from './frame-reader.js';
import type { FrameSink } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import { HeaderBlock } from './header-block.js';
import { contentLengthOf, findMalformed, REQUEST, RESPONSE, statusOf, TRAILERS } from './header-rules.js';
import { Output } from './output.js';
import { encodeSettings, PeerSettings, PROTOCOL_FRAME_BYTES, PROTOCOL_TABLE_BYTES } from './settings.js';
import { PROTOCOL_WINDOW_BYTES, SETTING_BYTES } from './settings.js';
import type { Http2Settings } from './settings.js';
import { CLOSED, HALF_CLOSED_LOCAL, HALF_CLOSED_REMOTE, Http2Stream, OPEN } from './stream.js';
import type { StreamOwner } from './stream.js';

export type Http2Role = 'server' | 'client';

/** A stream's events until its receiver has set its own, and for receivers that set none. */
const NO_EVENTS: Http2StreamEvents = {
  onHeaders: () => undefined,
  onData: () => undefined,
  onReset: () => undefined,
  onDrain: () => undefined,
};

interface PendingPing {
  readonly id: number;
  readonly onAck: () => void;
}

/** The connection engine. The output of the constructor (preface and SETTINGS) is taken like any other. */
export class Http2Connection implements FrameSink, StreamOwner, SchedulerEvents {
  readonly role: Http2Role;
  readonly counters: Http2Counters;
  /** The peer's SETTINGS have come. */
  peerSettingsSeen = false;
  /** Why the connection is over; '' while it is not, and after an orderly end. */
  closeReason = '';
  private readonly isServer: boolean;
  private readonly settings: Http2Settings;
  private readonly events: Http2ConnectionEvents;
  private readonly host: Http2Host;
  private readonly output = new Output();
  private readonly writer = new FrameWriter(this.output);
  private readonly scheduler = new DataScheduler(this.output, this);
  private readonly reader: FrameReader;
  private readonly slicer = new ChunkSlicer();
  private readonly decoder = new HpackDecoder(PROTOCOL_TABLE_BYTES);
  private readonly block = new HeaderBlock();
  private readonly guard = new FloodGuard();
  private readonly peer = new PeerSettings();
  private readonly streams = new Map<number, Http2Stream>();
  private readonly closed = new ClosedStreams();
  private pings: PendingPing[] | null = null;
  private lastPingId = 0;
  /** Nothing is read or begun any more. */
  private isOver = false;
  /** `onOutput` was called and the output is not taken yet. */
  private isSignalled = false;
  /** Our SETTINGS are acknowledged; until then the protocol's initial values hold. */
  private areSettingsInForce = false;
  private maxFrameBytes = PROTOCOL_FRAME_BYTES;
  private streamWindowBytes = PROTOCOL_WINDOW_BYTES;
  /** Connection-level bytes we still let the peer send, and what is consumed but not yet told to it. */
  private receiveWindow: number;
  private owedCredit = 0;
  /** Highest stream id the peer opened, and highest we opened. */
  private lastPeerStreamId = 0;
  private lastOwnStreamId = 0;
  /** Highest own stream id whose request left the engine. */
  private takenStreamId = 0;
  /** Last id of the GOAWAY we sent, and of the one we got. */
  private goAwaySent = MAX_U31;
  private goAwayReceived = MAX_U31;
  private isDraining = false;
  private isPeerDraining = false;
  // The frame being read.
  private frameType = 0;
  private frameFlags = 0;
  private frameStreamId = 0;
  private dataStream: Http2Stream | null = null;
  private dataEnds = false;
  private dataHasPayload = false;

  /** `counters` may be shared by connections. */
  constructor(
    role: Http2Role,
    settings: Http2Settings,
    events: Http2ConnectionEvents,
    host: Http2Host,
    counters: Http2Counters = new Http2Counters(),
  ) {
    this.role = role;
    this.isServer = role === 'server';
    this.settings = settings;
    this.events = events;
    this.host = host;
    this.counters = counters;
    this.reader = new FrameReader(this, this.isServer);
    this.receiveWindow = PROTOCOL_WINDOW_BYTES;
    if (!this.isServer) this.output.copy(CLIENT_PREFACE, 0, CLIENT_PREFACE.length);
    this.writer.writeSettings(encodeSettings(settings, this.isServer));
    if (settings.connectionWindowBytes > PROTOCOL_WINDOW_BYTES) {
      this.receiveWindow = settings.connectionWindowBytes;
      this.writer.writeWindowUpdate(0, settings.connectionWindowBytes - PROTOCOL_WINDOW_BYTES);
    }
  }

  // --- for the owner of the socket ---

  /** Bytes to write that were not taken yet; DATA still held by flow control is not among them. */
  get pendingOutputBytes(): number {
    return this.output.bytes;
  }

  /** Reads a chunk. @ownership the chunk is the engine's, slices of it go to `onData`. */
  receive(chunk: Uint8Array, nowMs: number): void {
    if (this.isOver) return;
    this.guard.tick(nowMs);
    this.slicer.begin(chunk);
    this.reader.read(chunk);
    if (!this.scheduler.isWritable && this.output.bytes > MAX_PENDING_ANSWER_BYTES) this.trip(GUARDS.pendingAnswers);
  }

  /** The peer closed its side of the socket. */
  receiveEnd(): void {
    this.shut('the peer closed the connection', true);
  }

  /** The socket is gone. Open streams get `onReset`; `onFinished` is not called. Idempotent. */
  abort(reason: string): void {
    this.shut(reason, false);
  }

  /** Cuts frames and moves all that is to be written to the end of `into`. @ownership parts are read-only. */
  takeOutput(into: Uint8Array[] = []): Uint8Array[] {
    this.isSignalled = true;
    this.scheduler.cut();
    this.output.take(into);
    this.takenStreamId = this.lastOwnStreamId;
    this.isSignalled = false;
    if (this.scheduler.hasWork) this.signal();
    return into;
  }

  /** False: the socket is full, no DATA leaves, control frames do. */
  setWritable(isWritable: boolean): void {
    this.scheduler.isWritable = isWritable && !this.isOver;
    if (this.scheduler.hasWork) this.signal();
  }

  // --- for the protocol above ---

  get openStreams(): number {
    return this.streams.size;
  }

  /** The peer's MAX_CONCURRENT_STREAMS; Infinity when it named none. */
  get maxConcurrentStreams(): number {
    return this.peer.maxConcurrentStreams;
  }

  /** Streams that may be opened now (client role). */
  get freeStreams(): number {
    if (!this.peerSettingsSeen || !this.mayOpen()) return 0;
    const free = this.peer.maxConcurrentStreams - this.streams.size;
    return free > 0 ? free : 0;
  }

  /** True when nothing can happen on it any more. */
  get isClosed(): boolean {
    return this.isOver;
  }

  /**
   * Opens a stream with its request headers.
   * @returns null without a free slot, when draining, or when closed.
   */
  openStream(
    headers: HeaderFields,
    endStream: boolean,
    events: Http2StreamEvents,
    owner: unknown,
  ): Http2StreamHandle | null {
    if (!this.mayOpen() || this.streams.size >= this.peer.maxConcurrentStreams) return null;
    const id = this.lastOwnStreamId === 0 ? 1 : this.lastOwnStreamId + 2;
    this.lastOwnStreamId = id;
    const stream = new Http2Stream(id, this, events, this.peer.streamWindowBytes, this.streamWindowBytes);
    stream.owner = owner;
    this.streams.set(id, stream);
    this.sendHeadersOn(stream, headers, endStream);
    return stream;
  }

  /** Sends a PING; `onAck` is called when the peer has answered it. */
  ping(onAck: () => void): void {
    if (this.isOver) return;
    const id = ++this.lastPingId;
    (this.pings ??= []).push({ id, onAck });
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(id, 4);
    this.writer.writePing(payload, 0, false);
    this.signal();
  }

  /**
   * Sends GOAWAY. NO_ERROR: no streams above `lastId` are served, the engine finishes when those open are done. Any other
   * code ends all at once.
   */
  goAway(errorCode: number, lastId: number = this.lastPeerStreamId, debug = ''): void {
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

  /**
   * Ends the connection without losing a stream. Server role: says so first, and names the last stream only after a PING
   * came back, when all streams the peer had opened before it knew have arrived. @source RFC 9113 §6.8.
   */
  drain(): void {
    if (this.isOver || this.isDraining) return;
    this.isDraining = true;
    if (!this.isServer) {
      this.goAway(H2_NO_ERROR);
      return;
    }
    this.writer.writeGoAway(MAX_U31, H2_NO_ERROR, 'draining');
    this.ping(() => this.goAway(H2_NO_ERROR, this.lastPeerStreamId, 'draining'));
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

  // --- frames of the peer (FrameSink) ---

  refuse(isPreface: boolean): void {
    this.fail(H2_PROTOCOL_ERROR, isPreface ? 'no HTTP/2 preface' : 'padding longer than its frame');
  }

  beginFrame(length: number, type: number, flags: number, streamId: number): number {
    this.frameType = type;
    this.frameFlags = flags;
    this.frameStreamId = streamId;
    if (length > this.maxFrameBytes) return this.fail(H2_FRAME_SIZE_ERROR, 'a frame above our MAX_FRAME_SIZE');
    if (!this.peerSettingsSeen && (type !== FRAME_SETTINGS || (flags & FLAG_ACK) !== 0))
      return this.fail(H2_PROTOCOL_ERROR, 'the first frame is not SETTINGS');
    if (this.block.streamId !== 0 && (type !== FRAME_CONTINUATION || streamId !== this.block.streamId))
      return this.fail(H2_PROTOCOL_ERROR, 'a header block was interrupted');
    switch (type) {
      case FRAME_DATA:
        return this.beginData(length, streamId);
      case FRAME_HEADERS:
        return this.expect(streamId !== 0, true);
      case FRAME_PRIORITY:
        if (this.guard.countPriority()) return this.trip(GUARDS.priority);
        if (length !== 5 && streamId !== 0) return this.refusePrioritySize(streamId);
        return this.expect(streamId !== 0, true);
      case FRAME_RST_STREAM:
        return this.expect(streamId !== 0, length === 4);
      case FRAME_SETTINGS:
        return this.expect(streamId === 0, (flags & FLAG_ACK) !== 0 ? length === 0 : length % SETTING_BYTES === 0);
      case FRAME_PUSH_PROMISE:
        return this.fail(H2_PROTOCOL_ERROR, 'PUSH_PROMISE, which we never allow');
      case FRAME_PING:
        return this.expect(streamId === 0, length === 8);
      case FRAME_GOAWAY:
        return this.expect(streamId === 0, length >= 8);
      case FRAME_WINDOW_UPDATE:
        return this.expect(true, length === 4);
      case FRAME_CONTINUATION:
        return this.expect(this.block.streamId !== 0, true);
      default:
        return this.guard.countUnknown() ? this.trip(GUARDS.unknown) : SKIP_PAYLOAD;
    }
  }

  endFrame(bytes: Uint8Array, start: number, end: number): boolean {
    switch (this.frameType) {
      case FRAME_HEADERS:
        this.onHeaders(bytes, start, end);
        break;
      case FRAME_CONTINUATION:
        this.onContinuation(bytes, start, end);
        break;
      case FRAME_PRIORITY:
        if ((readU32(bytes, start) & MAX_U31) === this.frameStreamId)
          this.failStream(this.frameStreamId, H2_PROTOCOL_ERROR, 'a stream that depends on itself');
        break;
      case FRAME_RST_STREAM:
        this.onReset(this.frameStreamId, readU32(bytes, start));
        break;
      case FRAME_SETTINGS:
        if ((this.frameFlags & FLAG_ACK) !== 0) this.applyOwnSettings();
        else this.onSettings(bytes, start, end);
        break;
      case FRAME_PING:
        this.onPing(bytes, start);
        break;
      case FRAME_GOAWAY:
        this.onGoAway(readU32(bytes, start) & MAX_U31, readU32(bytes, start + 4), bytes.slice(start + 8, end));
        break;
      default:
        this.onWindowUpdate(this.frameStreamId, readU32(bytes, start) & MAX_U31);
    }
    return !this.isOver;
  }

  dataPiece(chunk: Uint8Array, start: number, end: number, isLast: boolean): boolean {
    const stream = this.dataStream;
    if (stream === null || stream.state === CLOSED) return !this.isOver;
    this.dataHasPayload = true;
    const isEnd = isLast && this.dataEnds;
    if (stream.contentLeft >= 0) {
      stream.contentLeft -= end - start;
      if (stream.contentLeft < 0 || (isEnd && stream.contentLeft > 0)) {
        this.failStream(stream.id, H2_PROTOCOL_ERROR, 'content-length does not match');
        return !this.isOver;
      }
    }
    if (isEnd) endRemote(stream);
    const slice = this.slicer.slice(chunk, start, end);
    stream.events.onData(stream, slice, this.slicer.pinnedBytes, isEnd);
    if (isEnd) this.releaseIfEnded(stream);
    return !this.isOver;
  }

  dataPadding(paddingBytes: number): boolean {
    if (this.dataStream !== null) this.returnCreditOn(this.dataStream, paddingBytes);
    return true;
  }

  endData(): boolean {
    const stream = this.dataStream;
    if (stream === null || stream.state === CLOSED) return !this.isOver;
    if (this.dataEnds) {
      if (stream.contentLeft > 0) {
        this.failStream(stream.id, H2_PROTOCOL_ERROR, 'content-length does not match');
      } else {
        endRemote(stream);
        stream.events.onData(stream, EMPTY_BYTES, 0, true);
        this.releaseIfEnded(stream);
      }
    } else if (!this.dataHasPayload && this.guard.countEmptyData()) this.trip(GUARDS.emptyData);
    return !this.isOver;
  }

  // --- handlers ---

  private beginData(length: number, streamId: number): number {
    if (streamId === 0) return this.fail(H2_PROTOCOL_ERROR, 'DATA on stream 0');
    if (length > this.receiveWindow) return this.fail(H2_FLOW_CONTROL_ERROR, 'DATA above the connection window');
    this.receiveWindow -= length;
    this.returnConnectionCredit(length);
    this.dataStream = null;
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      if (!this.onFrameOfClosed(streamId, false)) return STOP_READING;
      return SKIP_PAYLOAD;
    }
    if (stream.state >= HALF_CLOSED_REMOTE) {
      this.failStream(streamId, H2_STREAM_CLOSED, 'DATA after END_STREAM');
    } else if (!stream.hasHeaders) {
      this.failStream(streamId, H2_PROTOCOL_ERROR, 'DATA before HEADERS');
    } else if (length > stream.receiveWindow) {
      this.failStream(streamId, H2_FLOW_CONTROL_ERROR, 'DATA above the stream window');
    } else {
      stream.receiveWindow -= length;
      this.dataStream = stream;
      this.dataEnds = (this.frameFlags & FLAG_END_STREAM) !== 0;
      this.dataHasPayload = false;
      if (length > 0) this.guard.earn();
      return TAKE_DATA;
    }
    return this.isOver ? STOP_READING : SKIP_PAYLOAD;
  }

  /** Connection-level credit returns on receipt, whatever becomes of the bytes: streams bound what is kept. */
  private returnConnectionCredit(bytes: number): void {
    this.owedCredit += bytes;
    if (this.owedCredit * 2 < Math.max(this.settings.connectionWindowBytes, PROTOCOL_WINDOW_BYTES)) return;
    this.writer.writeWindowUpdate(0, this.owedCredit);
    this.receiveWindow += this.owedCredit;
    this.owedCredit = 0;
    this.signal();
  }

  private onHeaders(bytes: Uint8Array, start: number, end: number): void {
    const flags = this.frameFlags;
    let from = start;
    let padding = 0;
    let dependency = 0;
    if ((flags & FLAG_PADDED) !== 0) padding = from < end ? bytes[from++]! : 1;
    if ((flags & FLAG_PRIORITY) !== 0) {
      if (end - from >= 5) dependency = readU32(bytes, from) & MAX_U31;
      from += 5;
    }
    if (from + padding > end) {
      this.fail(H2_PROTOCOL_ERROR, 'HEADERS shorter than its padding and priority');
      return;
    }
    const to = end - padding;
    const endStream = (flags & FLAG_END_STREAM) !== 0;
    const dependsOnItself = dependency === this.frameStreamId;
    if ((flags & FLAG_END_HEADERS) !== 0) {
      this.onBlock(this.frameStreamId, endStream, dependsOnItself, bytes, from, to);
      return;
    }
    this.block.begin(this.frameStreamId, endStream, dependsOnItself);
    this.block.append(bytes, from, to);
  }

  private onContinuation(bytes: Uint8Array, start: number, end: number): void {
    const block = this.block;
    if (++block.continuations > MAX_CONTINUATIONS) {
      this.trip(GUARDS.continuation);
      return;
    }
    if (block.length + end - start > this.settings.maxHeaderListBytes * MAX_BLOCK_RATIO) {
      this.trip(GUARDS.headerBlock);
      return;
    }
    block.append(bytes, start, end);
    if ((this.frameFlags & FLAG_END_HEADERS) === 0) return;
    const joined = block.bytes;
    const length = block.length;
    block.clear();
    this.onBlock(this.frameStreamId, block.endStream, block.dependsOnItself, joined, 0, length);
  }

  /** A whole header block. It is decoded whatever becomes of its stream, for the table must stay in step. */
  private onBlock(
    streamId: number,
    endStream: boolean,
    dependsOnItself: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const fields: string[] = [];
    const outcome = this.decoder.decode(bytes, start, end, fields, this.settings.maxHeaderListBytes);
    if (outcome < HPACK_OK) {
      this.fail(H2_COMPRESSION_ERROR, hpackErrorOf(outcome).code);
      return;
    }
    const stream = this.streams.get(streamId);
    if (stream === undefined && !this.isNewStream(streamId)) {
      this.onFrameOfClosed(streamId, true);
      return;
    }
    if (stream === undefined) this.lastPeerStreamId = streamId;
    if (stream === undefined && streamId > this.goAwaySent) {
      // The peer opened it before it got our GOAWAY, which tells it that nothing was done with it.
      this.closed.remember(streamId, RESET_BY_US);
    } else if (stream !== undefined && stream.state >= HALF_CLOSED_REMOTE) {
      this.failStream(streamId, H2_STREAM_CLOSED, 'HEADERS after END_STREAM');
    } else if (dependsOnItself) {
      this.failStream(streamId, H2_PROTOCOL_ERROR, 'a stream that depends on itself');
    } else if (outcome === HPACK_LIST_TOO_LARGE) {
      this.failStream(streamId, H2_ENHANCE_YOUR_CALM, 'a header list above our limit');
    } else if (stream === undefined) this.onRequest(streamId, fields, endStream);
    else if (stream.hasHeaders) this.onTrailers(stream, fields, endStream);
    else this.onResponse(stream, fields, endStream);
  }

  private onRequest(streamId: number, fields: HeaderFields, endStream: boolean): void {
    const malformed = findMalformed(fields, REQUEST);
    const contentLength = contentLengthOf(fields);
    if (malformed !== '' || contentLength < -1 || (endStream && contentLength > 0)) {
      this.failStream(streamId, H2_PROTOCOL_ERROR, malformed === '' ? 'a wrong content-length' : malformed);
      return;
    }
    if (this.streams.size >= this.settings.maxConcurrentStreams) {
      this.failStream(streamId, H2_REFUSED_STREAM, 'more streams than we allow');
      return;
    }
    const stream = new Http2Stream(streamId, this, NO_EVENTS, this.peer.streamWindowBytes, this.streamWindowBytes);
    stream.hasHeaders = true;
    stream.contentLeft = contentLength;
    if (endStream) stream.state = HALF_CLOSED_REMOTE;
    this.streams.set(streamId, stream);
    this.events.onStream(stream, fields, endStream);
  }

  private onResponse(stream: Http2Stream, fields: HeaderFields, endStream: boolean): void {
    const malformed = findMalformed(fields, RESPONSE);
    if (malformed !== '') {
      this.failStream(stream.id, H2_PROTOCOL_ERROR, malformed);
      return;
    }
    const status = statusOf(fields);
    if (status < 200) {
      // Interim responses are of no use to us; 101 does not exist in HTTP/2.
      if (endStream || status === 101) this.failStream(stream.id, H2_PROTOCOL_ERROR, 'a wrong interim response');
      return;
    }
    stream.contentLeft = contentLengthOf(fields);
    if (stream.contentLeft < -1 || (endStream && stream.contentLeft > 0)) {
      this.failStream(stream.id, H2_PROTOCOL_ERROR, 'a wrong content-length');
      return;
    }
    stream.hasHeaders = true;
    this.deliverHeaders(stream, fields, endStream, false);
  }

  private onTrailers(stream: Http2Stream, fields: HeaderFields, endStream: boolean): void {
    let malformed = findMalformed(fields, TRAILERS);
    if (!endStream) malformed = 'trailers without END_STREAM';
    else if (stream.contentLeft > 0) malformed = 'content-length does not match';
    if (malformed !== '') this.failStream(stream.id, H2_PROTOCOL_ERROR, malformed);
    else this.deliverHeaders(stream, fields, true, true);
  }

  private deliverHeaders(stream: Http2Stream, fields: HeaderFields, endStream: boolean, isTrailers: boolean): void {
    if (endStream) endRemote(stream);
    stream.events.onHeaders(stream, fields, endStream, isTrailers);
    if (endStream) this.releaseIfEnded(stream);
  }

  private onReset(streamId: number, errorCode: number): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined && this.isIdle(streamId)) {
      this.fail(H2_PROTOCOL_ERROR, 'RST_STREAM on an idle stream');
      return;
    }
    if (this.guard.countRapidReset()) {
      this.trip(GUARDS.rapidReset);
      return;
    }
    if (stream !== undefined)
      this.end(stream, RESET_BY_PEER, errorCode, errorCode === H2_REFUSED_STREAM, 'reset by the peer');
  }

  private onSettings(bytes: Uint8Array, start: number, end: number): void {
    if (this.guard.countSettings()) {
      this.trip(GUARDS.settings);
      return;
    }
    const previousWindow = this.peer.streamWindowBytes;
    const error = this.peer.apply(bytes, start, end, this.isServer);
    if (error !== H2_NO_ERROR) {
      this.fail(error, 'a SETTINGS value out of range');
      return;
    }
    this.writer.encoder.setTableLimit(this.peer.headerTableBytes);
    this.scheduler.setMaxFrame(this.peer.maxFrameBytes);
    if (!this.widenSendWindows(this.peer.streamWindowBytes - previousWindow)) return;
    this.peerSettingsSeen = true;
    this.writer.writeSettingsAck();
    this.signal();
    this.events.onSettings();
  }

  /** A changed INITIAL_WINDOW_SIZE concerns open streams too, whose windows may become negative. */
  private widenSendWindows(delta: number): boolean {
    if (delta === 0) return true;
    for (const stream of this.streams.values()) {
      stream.sendWindow += delta;
      if (stream.sendWindow > MAX_U31) {
        this.fail(H2_FLOW_CONTROL_ERROR, 'SETTINGS overflow a stream window');
        return false;
      }
      this.scheduler.consider(stream);
    }
    return true;
  }

  private applyOwnSettings(): void {
    if (this.guard.countSettings()) {
      this.trip(GUARDS.settings);
      return;
    }
    if (this.areSettingsInForce) return;
    this.areSettingsInForce = true;
    this.maxFrameBytes = this.settings.maxFrameBytes;
    this.decoder.setTableLimit(this.settings.headerTableBytes);
    const delta = this.settings.streamWindowBytes - this.streamWindowBytes;
    this.streamWindowBytes = this.settings.streamWindowBytes;
    for (const stream of this.streams.values()) stream.receiveWindow += delta;
  }

  private onPing(bytes: Uint8Array, start: number): void {
    if (this.guard.countPing()) {
      this.trip(GUARDS.ping);
      return;
    }
    if ((this.frameFlags & FLAG_ACK) === 0) {
      this.writer.writePing(bytes, start, true);
      this.signal();
      return;
    }
    const oldest = this.pings?.[0];
    if (oldest === undefined || readU32(bytes, start) !== 0 || readU32(bytes, start + 4) !== oldest.id) return;
    this.pings!.shift();
    oldest.onAck();
  }

  private onGoAway(lastStreamId: number, errorCode: number, debugData: Uint8Array): void {
    if (lastStreamId > this.goAwayReceived) {
      this.fail(H2_PROTOCOL_ERROR, 'GOAWAY with a higher last stream than before');
      return;
    }
    this.goAwayReceived = lastStreamId;
    this.isPeerDraining = true;
    this.events.onGoAway(lastStreamId, errorCode, debugData);
    if (this.isServer) return;
    for (const stream of [...this.streams.values()]) {
      if (stream.id > lastStreamId && stream.state !== CLOSED)
        this.end(stream, RESET_BY_PEER, H2_REFUSED_STREAM, true, 'not processed before GOAWAY');
    }
    this.finishIfIdle();
  }

  private onWindowUpdate(streamId: number, increment: number): void {
    if (this.guard.countWindowUpdate()) {
      this.trip(GUARDS.windowUpdate);
      return;
    }
    if (streamId === 0) {
      this.scheduler.sendWindow += increment;
      if (increment === 0) this.fail(H2_PROTOCOL_ERROR, 'WINDOW_UPDATE of 0');
      else if (this.scheduler.sendWindow > MAX_U31) this.fail(H2_FLOW_CONTROL_ERROR, 'connection window overflow');
      else if (this.scheduler.hasWork) this.signal();
      return;
    }
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      if (this.isIdle(streamId)) this.fail(H2_PROTOCOL_ERROR, 'WINDOW_UPDATE on an idle stream');
      return;
    }
    stream.sendWindow += increment;
    if (increment === 0) this.failStream(streamId, H2_PROTOCOL_ERROR, 'WINDOW_UPDATE of 0');
    else if (stream.sendWindow > MAX_U31) this.failStream(streamId, H2_FLOW_CONTROL_ERROR, 'stream window overflow');
    else {
      this.scheduler.consider(stream);
      if (this.scheduler.hasWork) this.signal();
    }
  }

  // --- life of streams ---

  private mayOpen(): boolean {
    return (
      !this.isServer && !this.isOver && !this.isDraining && !this.isPeerDraining && this.lastOwnStreamId < MAX_U31 - 1
    );
  }

  private isNewStream(streamId: number): boolean {
    return this.isServer && (streamId & 1) === 1 && streamId > this.lastPeerStreamId;
  }

  /** Never opened so far. Even ids are the server's, which would need push. */
  private isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId > (this.isServer ? this.lastPeerStreamId : this.lastOwnStreamId);
  }

  /** DATA or HEADERS on a stream that is not open. @returns false: the connection is over. @source RFC 9113 §5.1. */
  private onFrameOfClosed(streamId: number, isHeaders: boolean): boolean {
    const how = this.isIdle(streamId) ? FORGOTTEN : this.closed.recall(streamId);
    if (how === ENDED) this.fail(H2_STREAM_CLOSED, 'a frame after the end of its stream');
    else if (this.isIdle(streamId)) this.fail(H2_PROTOCOL_ERROR, 'a frame on an idle stream');
    else if (how === FORGOTTEN && isHeaders && this.isServer)
      this.fail(H2_PROTOCOL_ERROR, 'a stream id below the last one');
    else if (how !== RESET_BY_US) this.failStream(streamId, H2_STREAM_CLOSED, 'a frame on a closed stream');
    return !this.isOver;
  }

  private endLocal(stream: Http2Stream): void {
    stream.state = stream.state === OPEN ? HALF_CLOSED_LOCAL : CLOSED;
    if (stream.state === CLOSED) this.release(stream, ENDED);
  }

  private releaseIfEnded(stream: Http2Stream): void {
    if (stream.state === CLOSED) this.release(stream, ENDED);
  }

  /** Ends a stream before its time and tells its receiver. */
  private end(stream: Http2Stream, how: number, errorCode: number, isUnprocessed: boolean, reason: string): void {
    stream.state = CLOSED;
    this.scheduler.forget(stream);
    stream.dropQueue();
    stream.events.onReset(stream, errorCode, isUnprocessed, reason);
    this.release(stream, how);
  }

  /** The last step of every stream; does nothing the second time. */
  private release(stream: Http2Stream, how: number): void {
    if (!this.streams.delete(stream.id)) return;
    this.closed.remember(stream.id, how);
    this.scheduler.forget(stream);
    stream.dropQueue();
    this.events.onStreamClosed(stream);
    this.finishIfIdle();
  }

  // --- errors and the end ---

  /** A stream error: RST_STREAM, and the stream (if there is one) is over. @source RFC 9113 §5.4.2. */
  private failStream(streamId: number, errorCode: number, reason: string): void {
    const stream = this.streams.get(streamId);
    if (stream === undefined && this.isIdle(streamId)) {
      // RST_STREAM must not be sent on an idle stream.
      this.fail(errorCode, reason);
      return;
    }
    this.writer.writeReset(streamId, errorCode);
    this.signal();
    countUp(this.counters.streamErrors, errorCode);
    if (stream !== undefined) this.end(stream, RESET_BY_US, errorCode, false, reason);
    else this.closed.remember(streamId, RESET_BY_US);
    if (this.guard.countProvokedReset()) this.trip(GUARDS.provokedReset);
  }

  /** A connection error: GOAWAY, and all is over. @source RFC 9113 §5.4.1. */
  private fail(errorCode: number, reason: string): number {
    if (this.isOver) return STOP_READING;
    countUp(this.counters.connectionErrors, errorCode);
    this.goAway(errorCode, this.lastPeerStreamId, reason);
    return STOP_READING;
  }

  private trip(guard: Guard): number {
    countUp(this.counters.guardTrips, guard.name);
    return this.fail(H2_ENHANCE_YOUR_CALM, `flood guard ${guard.name}`);
  }

  private expect(isRightStream: boolean, isRightSize: boolean): number {
    if (!isRightStream) return this.fail(H2_PROTOCOL_ERROR, 'a frame on a wrong stream');
    return isRightSize ? TAKE_WHOLE : this.fail(H2_FRAME_SIZE_ERROR, 'a frame of a wrong size');
  }

  private refusePrioritySize(streamId: number): number {
    this.failStream(streamId, H2_FRAME_SIZE_ERROR, 'PRIORITY of a wrong size');
    return this.isOver ? STOP_READING : SKIP_PAYLOAD;
  }

  private shut(reason: string, isHostTold: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.closeReason = reason;
    this.reader.stop();
    this.scheduler.isWritable = false;
    for (const stream of [...this.streams.values()]) {
      if (stream.state === CLOSED) continue;
      const isUnsent = !this.isServer && stream.id > this.takenStreamId;
      this.end(stream, RESET_BY_PEER, CONNECTION_LOST, isUnsent, reason);
    }
    if (isHostTold) this.host.onFinished();
  }

  /** After GOAWAY in either direction, the last stream takes the connection along. */
  private finishIfIdle(): void {
    if (this.isOver || this.streams.size > 0) return;
    const isLast = this.isServer ? this.goAwaySent < MAX_U31 : this.isDraining || this.isPeerDraining;
    if (!isLast) return;
    this.isOver = true;
    this.reader.stop();
    this.host.onFinished();
  }

  private signal(): void {
    if (this.isSignalled) return;
    this.isSignalled = true;
    this.host.onOutput();
  }
}

/** The peer ended its side; the stream stays in the map until its receiver has heard of it. */
function endRemote(stream: Http2Stream): void {
  stream.state = stream.state === OPEN ? HALF_CLOSED_REMOTE : CLOSED;
}
