/**
 * HOT. The peer's side of a connection: checks each frame against the rules and turns it into events.
 *
 * A broken rule ends the stream (RST_STREAM) or the connection (GOAWAY), at the smallest scope RFC 9113 §5.4 allows; nothing
 * here throws for what a peer sends. Events are called when the state is consistent; they may call back into the connection.
 */
import { EMPTY_BYTES, Ring } from '../../base/index.js';
import type { ConnectionCore } from './core.js';
import {
  H2_FLOW_CONTROL_ERROR,
  H2_FRAME_SIZE_ERROR,
  H2_NO_ERROR,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
  H2_STREAM_CLOSED,
} from './errors.js';
import { GUARDS } from './flood-guard.js';
import type { Guard } from './flood-guard.js';
import {
  FLAG_ACK,
  FLAG_END_STREAM,
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
import { HeaderIntake } from './header-intake.js';
import { PROTOCOL_FRAME_BYTES, PROTOCOL_WINDOW_BYTES, SETTING_BYTES } from './settings.js';
import { CLOSED, HALF_CLOSED_LOCAL, HALF_CLOSED_REMOTE } from './stream.js';
import type { Http2Stream } from './stream.js';
import { RESET_BY_PEER } from './stream-table.js';

interface PendingPing {
  readonly id: number;
  readonly onAck: () => void;
}

export class Inbound implements FrameSink {
  /** The peer's SETTINGS have come. */
  peerSettingsSeen = false;
  private readonly core: ConnectionCore;
  private readonly reader: FrameReader;
  private readonly headers: HeaderIntake;
  /** Our SETTINGS are acknowledged; until then the protocol's initial values hold. */
  private areSettingsInForce = false;
  private maxFrameBytes = PROTOCOL_FRAME_BYTES;
  /** Connection-level bytes we still let the peer send, and what is received but not yet told to it. */
  private receiveWindow: number;
  private owedCredit = 0;
  /** Last id of the GOAWAY we got. */
  private goAwayReceived = MAX_U31;
  private pings: Ring<PendingPing> | null = null;
  private lastPingId = 0;
  // The frame being read.
  private frameType = 0;
  private frameFlags = 0;
  private frameStreamId = 0;
  private dataStream: Http2Stream | null = null;
  private dataEnds = false;
  private dataHasPayload = false;

  constructor(core: ConnectionCore) {
    this.core = core;
    this.headers = new HeaderIntake(core);
    this.reader = new FrameReader(this, core.isServer);
    this.receiveWindow = Math.max(core.settings.connectionWindowBytes, PROTOCOL_WINDOW_BYTES);
  }

  /** Reads a chunk to its end, or to the end of the connection. @ownership it is borrowed for the call. */
  receive(chunk: Uint8Array): void {
    this.reader.read(chunk);
  }

  /** Sends a PING and remembers who waits for its answer. */
  ping(onAck: () => void): void {
    const id = ++this.lastPingId;
    (this.pings ??= new Ring<PendingPing>(4)).push({ id, onAck });
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(id, 4);
    this.core.writer.writePing(payload, 0, false);
    this.core.signal();
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
    if (
      this.headers.pendingStreamId !== 0 &&
      (type !== FRAME_CONTINUATION || streamId !== this.headers.pendingStreamId)
    )
      return this.fail(H2_PROTOCOL_ERROR, 'a header block was interrupted');
    switch (type) {
      case FRAME_DATA:
        return this.beginData(length, streamId);
      case FRAME_HEADERS:
        return this.expect(streamId !== 0, true);
      case FRAME_PRIORITY:
        if (this.core.guard.countPriority()) return this.trip(GUARDS.priority);
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
        return this.expect(this.headers.pendingStreamId !== 0, true);
      default:
        return this.core.guard.countUnknown() ? this.trip(GUARDS.unknown) : SKIP_PAYLOAD;
    }
  }

  endFrame(bytes: Uint8Array, start: number, end: number): boolean {
    switch (this.frameType) {
      case FRAME_HEADERS:
        this.headers.onHeaders(this.frameStreamId, this.frameFlags, bytes, start, end);
        break;
      case FRAME_CONTINUATION:
        this.headers.onContinuation(this.frameFlags, bytes, start, end);
        break;
      case FRAME_PRIORITY:
        if ((readU32(bytes, start) & MAX_U31) === this.frameStreamId)
          this.core.failStream(this.frameStreamId, H2_PROTOCOL_ERROR, 'a stream that depends on itself');
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
        this.onGoAway(readU32(bytes, start) & MAX_U31, readU32(bytes, start + 4), bytes.subarray(start + 8, end));
        break;
      default:
        this.onWindowUpdate(this.frameStreamId, readU32(bytes, start) & MAX_U31);
    }
    return !this.core.isOver;
  }

  dataPiece(chunk: Uint8Array, start: number, end: number, isLast: boolean): boolean {
    const stream = this.dataStream;
    if (stream === null || stream.state === CLOSED) return !this.core.isOver;
    this.dataHasPayload = true;
    if (isLast) this.dataStream = null;
    const isEnd = isLast && this.dataEnds;
    if (stream.contentLeft >= 0) {
      stream.contentLeft -= end - start;
      if (stream.contentLeft < 0 || (isEnd && stream.contentLeft > 0)) {
        this.core.failStream(stream.id, H2_PROTOCOL_ERROR, 'content-length does not match');
        return !this.core.isOver;
      }
    }
    if (isEnd) stream.endRemote();
    stream.events.onData(stream, chunk.subarray(start, end), isEnd);
    if (isEnd) this.core.releaseIfEnded(stream);
    return !this.core.isOver;
  }

  dataPadding(paddingBytes: number): boolean {
    if (this.dataStream !== null) this.core.returnCreditOn(this.dataStream, paddingBytes);
    return true;
  }

  endData(): boolean {
    const stream = this.dataStream;
    this.dataStream = null;
    if (stream === null || stream.state === CLOSED) return !this.core.isOver;
    if (this.dataEnds) {
      if (stream.contentLeft > 0) {
        this.core.failStream(stream.id, H2_PROTOCOL_ERROR, 'content-length does not match');
      } else {
        stream.endRemote();
        stream.events.onData(stream, EMPTY_BYTES, true);
        this.core.releaseIfEnded(stream);
      }
    } else if (!this.dataHasPayload && this.core.guard.countEmptyData()) this.trip(GUARDS.emptyData);
    return !this.core.isOver;
  }

  // --- handlers ---

  private beginData(length: number, streamId: number): number {
    if (streamId === 0) return this.fail(H2_PROTOCOL_ERROR, 'DATA on stream 0');
    if (length > this.receiveWindow) return this.fail(H2_FLOW_CONTROL_ERROR, 'DATA above the connection window');
    this.receiveWindow -= length;
    this.returnConnectionCredit(length);
    this.dataStream = null;
    const stream = this.core.streams.get(streamId);
    if (stream === undefined) {
      this.core.onFrameOfClosed(streamId, false);
    } else if (stream.state >= HALF_CLOSED_REMOTE) {
      this.core.failStream(streamId, H2_STREAM_CLOSED, 'DATA after END_STREAM');
    } else if (!stream.hasHeaders) {
      this.core.failStream(streamId, H2_PROTOCOL_ERROR, 'DATA before HEADERS');
    } else if (length > stream.receiveWindow) {
      this.core.failStream(streamId, H2_FLOW_CONTROL_ERROR, 'DATA above the stream window');
    } else {
      stream.receiveWindow -= length;
      this.dataStream = stream;
      this.dataEnds = (this.frameFlags & FLAG_END_STREAM) !== 0;
      this.dataHasPayload = false;
      if (length > 0) this.core.guard.earn();
      return TAKE_DATA;
    }
    return this.core.isOver ? STOP_READING : SKIP_PAYLOAD;
  }

  /** Connection-level credit returns on receipt, whatever becomes of the bytes: streams bound what is kept. */
  private returnConnectionCredit(bytes: number): void {
    this.owedCredit += bytes;
    if (this.owedCredit * 2 < Math.max(this.core.settings.connectionWindowBytes, PROTOCOL_WINDOW_BYTES)) return;
    this.core.writer.writeWindowUpdate(0, this.owedCredit);
    this.receiveWindow += this.owedCredit;
    this.owedCredit = 0;
    this.core.signal();
  }

  private onReset(streamId: number, errorCode: number): void {
    const stream = this.core.streams.get(streamId);
    if (stream === undefined && this.core.streams.isIdle(streamId)) {
      this.fail(H2_PROTOCOL_ERROR, 'RST_STREAM on an idle stream');
      return;
    }
    // Only who opens streams can misuse their end; a server that refuses us does not, nor who has our answer.
    if (this.core.isServer && stream?.state !== HALF_CLOSED_LOCAL && this.core.guard.countRapidReset()) {
      this.trip(GUARDS.rapidReset);
      return;
    }
    if (stream !== undefined)
      this.core.end(stream, RESET_BY_PEER, errorCode, errorCode === H2_REFUSED_STREAM, 'reset by the peer');
  }

  private onSettings(bytes: Uint8Array, start: number, end: number): void {
    if (this.core.guard.countSettings()) {
      this.trip(GUARDS.settings);
      return;
    }
    const previousWindow = this.core.peer.streamWindowBytes;
    const error = this.core.peer.apply(bytes, start, end, this.core.isServer);
    if (error !== H2_NO_ERROR) {
      this.fail(error, 'a SETTINGS value out of range');
      return;
    }
    this.core.writer.encoder.setTableLimit(this.core.peer.headerTableBytes);
    this.core.scheduler.setMaxFrame(this.core.peer.maxFrameBytes);
    if (!this.widenSendWindows(this.core.peer.streamWindowBytes - previousWindow)) return;
    this.peerSettingsSeen = true;
    this.core.writer.writeSettingsAck();
    this.core.signal();
    this.core.events.onSettings();
  }

  /** A changed INITIAL_WINDOW_SIZE concerns open streams too, whose windows may become negative. */
  private widenSendWindows(delta: number): boolean {
    if (delta === 0) return true;
    for (const stream of this.core.streams.all()) {
      stream.sendWindow += delta;
      if (stream.sendWindow > MAX_U31) {
        this.fail(H2_FLOW_CONTROL_ERROR, 'SETTINGS overflow a stream window');
        return false;
      }
      this.core.scheduler.consider(stream);
    }
    return true;
  }

  private applyOwnSettings(): void {
    if (this.core.guard.countSettings()) {
      this.trip(GUARDS.settings);
      return;
    }
    if (this.areSettingsInForce) return;
    this.areSettingsInForce = true;
    this.maxFrameBytes = this.core.settings.maxFrameBytes;
    this.headers.setTableLimit(this.core.settings.headerTableBytes);
    const delta = this.core.settings.streamWindowBytes - this.core.streamWindowBytes;
    this.core.streamWindowBytes = this.core.settings.streamWindowBytes;
    for (const stream of this.core.streams.all()) {
      stream.receiveWindow += delta;
      // What was too little to report beside the old window may be all that the peer waits for under a smaller one.
      this.core.returnCreditOn(stream, 0);
    }
  }

  private onPing(bytes: Uint8Array, start: number): void {
    if (this.core.guard.countPing()) {
      this.trip(GUARDS.ping);
      return;
    }
    if ((this.frameFlags & FLAG_ACK) === 0) {
      this.core.writer.writePing(bytes, start, true);
      this.core.signal();
      return;
    }
    const oldest = this.pings?.peek();
    if (oldest === undefined || readU32(bytes, start) !== 0 || readU32(bytes, start + 4) !== oldest.id) return;
    this.pings!.shift();
    oldest.onAck();
  }

  private onGoAway(lastStreamId: number, errorCode: number, debugData: Uint8Array): void {
    if (this.core.guard.countGoAway()) {
      this.trip(GUARDS.goAway);
      return;
    }
    if (lastStreamId > this.goAwayReceived) {
      this.fail(H2_PROTOCOL_ERROR, 'GOAWAY with a higher last stream than before');
      return;
    }
    this.goAwayReceived = lastStreamId;
    this.core.isPeerDraining = true;
    this.core.events.onGoAway(lastStreamId, errorCode, debugData);
    if (this.core.isServer) return;
    for (const stream of this.core.streams.list()) {
      if (stream.id > lastStreamId && stream.state !== CLOSED)
        this.core.end(stream, RESET_BY_PEER, H2_REFUSED_STREAM, true, 'not processed before GOAWAY');
    }
    this.core.finishIfIdle();
  }

  private onWindowUpdate(streamId: number, increment: number): void {
    if (this.core.guard.countWindowUpdate()) {
      this.trip(GUARDS.windowUpdate);
      return;
    }
    if (streamId === 0) {
      this.core.scheduler.sendWindow += increment;
      if (increment === 0) this.fail(H2_PROTOCOL_ERROR, 'WINDOW_UPDATE of 0');
      else if (this.core.scheduler.sendWindow > MAX_U31) this.fail(H2_FLOW_CONTROL_ERROR, 'connection window overflow');
      else if (this.core.scheduler.hasWork) this.core.signal();
      return;
    }
    const stream = this.core.streams.get(streamId);
    if (stream === undefined) {
      if (this.core.streams.isIdle(streamId)) this.fail(H2_PROTOCOL_ERROR, 'WINDOW_UPDATE on an idle stream');
      return;
    }
    stream.sendWindow += increment;
    if (increment === 0) this.core.failStream(streamId, H2_PROTOCOL_ERROR, 'WINDOW_UPDATE of 0');
    else if (stream.sendWindow > MAX_U31)
      this.core.failStream(streamId, H2_FLOW_CONTROL_ERROR, 'stream window overflow');
    else {
      this.core.scheduler.consider(stream);
      if (this.core.scheduler.hasWork) this.core.signal();
    }
  }

  // --- what is wrong ---

  private expect(isRightStream: boolean, isRightSize: boolean): number {
    if (!isRightStream) return this.fail(H2_PROTOCOL_ERROR, 'a frame on a wrong stream');
    return isRightSize ? TAKE_WHOLE : this.fail(H2_FRAME_SIZE_ERROR, 'a frame of a wrong size');
  }

  private refusePrioritySize(streamId: number): number {
    this.core.failStream(streamId, H2_FRAME_SIZE_ERROR, 'PRIORITY of a wrong size');
    return this.core.isOver ? STOP_READING : SKIP_PAYLOAD;
  }

  private fail(errorCode: number, reason: string): number {
    this.core.fail(errorCode, reason);
    return STOP_READING;
  }

  private trip(guard: Guard): number {
    this.core.trip(guard);
    return STOP_READING;
  }
}
