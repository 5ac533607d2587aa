/**
 * HOT. A socket of a simulated Envoy with the smallest HTTP/2 client that behaves: it obeys SETTINGS and flow control,
 * answers PING, and notices the end of its streams. It reads no headers and no answers.
 *
 *   IDLE --connect--> CONNECTING --connected--> CONNECTED --finish--> CLOSING --closed--> IDLE
 *                        |----failed, lost---------|-----------------------------------> IDLE
 */
import { connect, type Socket } from 'node:net';
import type { FleetCounters } from './fleet-counters.js';
import {
  DEFAULT_WINDOW_BYTES,
  encodeConnectionStart,
  encodeFrame,
  encodeReset,
  ERROR_INTERNAL,
  FLAG_ACK,
  FLAG_END_STREAM,
  FRAME_DATA,
  FRAME_GOAWAY,
  FRAME_HEADER_BYTES,
  FRAME_HEADERS,
  FRAME_PING,
  FRAME_RST_STREAM,
  FRAME_SETTINGS,
  FRAME_WINDOW_UPDATE,
  SETTING_INITIAL_WINDOW_SIZE,
} from './http2-bytes.js';
import { type LogStream, STREAM_CLOSED, STREAM_OPEN } from './log-stream.js';
import type { MessageTemplate, TemplatePool } from './message-template.js';
import type { FleetOptions } from './options.js';
import { EMPTY_BYTES } from '../../base/index.js';

const IDLE = 0;
const CONNECTING = 1;
const CONNECTED = 2;
const CLOSING = 3;

/** Bytes that may wait in one socket before its streams hold their messages back. */
const SOCKET_HIGH_MARK_BYTES = 512 * 1024;
/** All sockets read into this: what comes is small, and parsed before the callback returns. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);
const CONNECTION_START = encodeConnectionStart();

export class EnvoyConnection {
  readonly streams: LogStream[] = [];
  /** The peer's SETTINGS_INITIAL_WINDOW_SIZE. */
  peerWindowBytes = DEFAULT_WINDOW_BYTES;
  /** When to try next, while there is no connection. @units clock ms */
  connectAtMs = 0;
  /** When to reconnect on purpose; Infinity: never. @units clock ms */
  reconnectAtMs = Infinity;
  /** When a connection being closed is destroyed. @units clock ms */
  destroyAtMs = Infinity;

  private readonly options: FleetOptions;
  private readonly counters: FleetCounters;
  private readonly onConnected: (connection: EnvoyConnection) => void;
  private readonly onDisconnected: (connection: EnvoyConnection, isPlanned: boolean) => void;
  private readonly onWritten: () => void;
  private state = IDLE;
  private socket: Socket | null = null;
  private credit = DEFAULT_WINDOW_BYTES;
  private nextStreamId = 1;
  private isDraining = false;
  private leftover: Buffer = EMPTY_BUFFER;
  /** Templates the kernel has not taken yet, with their pools. */
  private pinned: MessageTemplate[] = [];
  private pinnedPools: TemplatePool[] = [];

  constructor(
    options: FleetOptions,
    counters: FleetCounters,
    onConnected: (connection: EnvoyConnection) => void,
    onDisconnected: (connection: EnvoyConnection, isPlanned: boolean) => void,
  ) {
    this.options = options;
    this.counters = counters;
    this.onConnected = onConnected;
    this.onDisconnected = onDisconnected;
    this.onWritten = () => {
      this.afterWrite();
    };
  }

  get isIdle(): boolean {
    return this.state === IDLE;
  }

  get isConnected(): boolean {
    return this.state === CONNECTED;
  }

  get hasOpenStreams(): boolean {
    for (const stream of this.streams) if (stream.state !== STREAM_CLOSED) return true;
    return false;
  }

  connect(): void {
    this.state = CONNECTING;
    this.credit = DEFAULT_WINDOW_BYTES;
    this.peerWindowBytes = DEFAULT_WINDOW_BYTES;
    this.nextStreamId = 1;
    this.isDraining = false;
    this.leftover = EMPTY_BUFFER;
    const socket = connect({
      host: this.options.host,
      port: this.options.port,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length: number): boolean => {
          this.onRead(length);
          return true;
        },
      },
    });
    this.socket = socket;
    socket.on('connect', () => {
      this.state = CONNECTED;
      this.counters.connections++;
      this.counters.connects++;
      this.write(CONNECTION_START);
      this.onConnected(this);
    });
    // The reason is in the counters: a failure to connect, or a connection lost.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.onClose(socket);
    });
  }

  // --- writing ---

  takeStreamId(): number {
    const id = this.nextStreamId;
    this.nextStreamId += 2;
    return id;
  }

  /** Whether a message of `bytes` may go out whole. */
  mayWrite(bytes: number): boolean {
    return this.credit >= bytes && this.socket!.writableLength <= SOCKET_HIGH_MARK_BYTES;
  }

  /** DATA bytes that may go out now. */
  writableBytes(): number {
    return this.socket!.writableLength > SOCKET_HIGH_MARK_BYTES ? 0 : this.credit;
  }

  writeTemplate(template: MessageTemplate, pool: TemplatePool): void {
    const socket = this.socket!;
    this.credit -= template.creditBytes;
    socket.write(template.framed, this.onWritten);
    if (socket.writableLength === 0) {
      pool.give(template);
    } else {
      this.pinned.push(template);
      this.pinnedPools.push(pool);
    }
  }

  /** @ownership `data` must not change any more. */
  writeData(header: Buffer, data: Buffer): void {
    const socket = this.socket!;
    this.credit -= data.length;
    socket.cork();
    socket.write(header);
    socket.write(data, this.onWritten);
    socket.uncork();
  }

  write(bytes: Buffer): void {
    this.socket!.write(bytes);
  }

  /** Ends all streams at a message boundary; answers are awaited by looking at `hasOpenStreams`. */
  halfCloseStreams(): void {
    if (this.state === CONNECTED) for (const stream of this.streams) stream.halfClose();
  }

  /** Sends FIN behind all that is written; the peer's answer is still read. */
  finish(destroyAtMs: number): void {
    if (this.state !== CONNECTED) {
      this.destroy();
      return;
    }
    this.state = CLOSING;
    this.destroyAtMs = destroyAtMs;
    this.socket!.end();
  }

  destroy(): void {
    this.socket?.destroy();
  }

  private afterWrite(): void {
    if (this.socket === null || this.socket.writableLength > 0) return;
    for (let index = 0; index < this.pinned.length; index++) this.pinnedPools[index]!.give(this.pinned[index]!);
    this.pinned.length = 0;
    this.pinnedPools.length = 0;
    this.pump();
  }

  private pump(): void {
    for (let index = 0; index < this.streams.length; index++) {
      const stream = this.streams[index]!;
      if (stream.hasBacklog) stream.pump();
    }
  }

  // --- reading ---

  private onRead(length: number): void {
    let bytes: Buffer = READ_BUFFER.subarray(0, length);
    if (this.leftover.length > 0) bytes = Buffer.concat([this.leftover, bytes]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + ((bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!);
      if (end > bytes.length) break;
      this.onFrame(
        bytes[at + 3]!,
        bytes[at + 4]!,
        bytes.readUInt32BE(at + 5) & 0x7fffffff,
        bytes,
        at + FRAME_HEADER_BYTES,
        end,
      );
      at = end;
    }
    this.leftover = at === bytes.length ? EMPTY_BUFFER : Buffer.from(bytes.subarray(at));
  }

  private onFrame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case FRAME_WINDOW_UPDATE:
        this.onWindowUpdate(streamId, bytes.readUInt32BE(start) & 0x7fffffff);
        return;
      case FRAME_SETTINGS:
        if ((flags & FLAG_ACK) === 0) this.onSettings(bytes, start, end);
        return;
      case FRAME_PING:
        if ((flags & FLAG_ACK) === 0) this.write(encodeFrame(FRAME_PING, FLAG_ACK, 0, bytes.subarray(start, end)));
        return;
      case FRAME_HEADERS:
      case FRAME_DATA:
        if ((flags & FLAG_END_STREAM) !== 0) this.onStreamEnd(streamId, true);
        return;
      case FRAME_RST_STREAM:
        this.onStreamEnd(streamId, false);
        return;
      case FRAME_GOAWAY:
        // As Envoy: open streams stay; the connection goes when they have ended.
        this.isDraining = true;
        if (!this.hasOpenStreams) this.destroy();
        return;
      default:
    }
  }

  private onWindowUpdate(streamId: number, bytes: number): void {
    if (streamId === 0) {
      this.credit += bytes;
    } else {
      const stream = this.findStream(streamId);
      if (stream === null) return;
      stream.credit += bytes;
    }
    this.pump();
  }

  private onSettings(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at + 6 <= end; at += 6) {
      if (bytes.readUInt16BE(at) !== SETTING_INITIAL_WINDOW_SIZE) continue;
      const window = bytes.readUInt32BE(at + 2);
      for (const stream of this.streams) stream.credit += window - this.peerWindowBytes;
      this.peerWindowBytes = window;
    }
    this.write(encodeFrame(FRAME_SETTINGS, FLAG_ACK, 0, EMPTY_BYTES));
    this.pump();
  }

  private onStreamEnd(streamId: number, needsReset: boolean): void {
    const stream = this.findStream(streamId);
    if (stream === null) return;
    if (stream.state === STREAM_OPEN) {
      this.counters.endedStreams++;
      if (needsReset) this.write(encodeReset(streamId, ERROR_INTERNAL));
    }
    stream.onClosed();
    if (this.isDraining && !this.hasOpenStreams) this.destroy();
  }

  private findStream(streamId: number): LogStream | null {
    for (let index = 0; index < this.streams.length; index++) {
      const stream = this.streams[index]!;
      if (stream.streamId === streamId && stream.state !== STREAM_CLOSED) return stream;
    }
    return null;
  }

  private onClose(socket: Socket): void {
    if (socket !== this.socket) return;
    const wasConnected = this.state === CONNECTED || this.state === CLOSING;
    const isPlanned = this.state === CLOSING;
    if (!wasConnected) this.counters.connectFailures++;
    else this.counters.connections--;
    if (this.state === CONNECTED) this.counters.lostConnections++;
    this.state = IDLE;
    this.socket = null;
    this.destroyAtMs = Infinity;
    this.pinned.length = 0;
    this.pinnedPools.length = 0;
    for (const stream of this.streams) stream.onClosed();
    this.onDisconnected(this, isPlanned);
  }
}

const EMPTY_BUFFER = Buffer.alloc(0);
