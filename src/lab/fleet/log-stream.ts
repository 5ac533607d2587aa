/**
 * HOT. One access logger of one Envoy: its share of the load, its gRPC stream, and what flow control holds back.
 *
 *   CLOSED --send--> OPEN --halfClose--> HALF_CLOSED --answer--> CLOSED
 *                     |---answer, reset, connection lost-------> CLOSED
 */
import type { LoggerKind } from './access-log-entry.js';
import type { EnvoyConnection } from './envoy-connection.js';
import type { FleetCounters } from './fleet-counters.js';
import {
  encodeFrame,
  encodeRequestHeaders,
  FLAG_END_STREAM,
  FRAME_DATA,
  FRAME_HEADER_BYTES,
  MAX_FRAME_BYTES,
  writeFrameHeader,
} from './http2-bytes.js';
import { podIp } from './identity.js';
import { ENVELOPE_BYTES, type TemplatePool } from './message-template.js';
import type { FleetOptions } from './options.js';
import { EMPTY_BYTES, Ring } from '../../base/index.js';

export const STREAM_CLOSED = 0;
export const STREAM_OPEN = 1;
export const STREAM_HALF_CLOSED = 2;

/** One simulated Envoy: all its loggers on all its connections number their entries together. */
export class Envoy {
  readonly index: number;
  /** Sequence number of the last entry made; also how many there are. */
  lastSequence = 0;

  constructor(index: number) {
    this.index = index;
  }
}

export class LogStream {
  readonly kind: LoggerKind;
  state = STREAM_CLOSED;
  streamId = 0;
  /** Bytes the peer still lets us send on this stream; negative after it lowered its window. */
  credit = 0;
  /** Entries per millisecond. */
  rate: number;
  /** Entries due and not yet sent. */
  due = 0;
  nextFlushMs = 0;

  private readonly connection: EnvoyConnection;
  private readonly envoy: Envoy;
  private readonly pool: TemplatePool;
  private readonly counters: FleetCounters;
  private readonly options: FleetOptions;
  private readonly makeIdentifier: (envoy: number, kind: LoggerKind) => Uint8Array;
  /** Messages (envelope included) that wait for credit; the first one is sent up to `backlogOffset`. */
  private readonly backlog = new Ring<Buffer>(4);
  private backlogOffset = 0;
  private backlogBytes = 0;
  private endsAfterBacklog = false;

  constructor(
    connection: EnvoyConnection,
    envoy: Envoy,
    kind: LoggerKind,
    rate: number,
    pool: TemplatePool,
    counters: FleetCounters,
    options: FleetOptions,
    makeIdentifier: (envoy: number, kind: LoggerKind) => Uint8Array,
  ) {
    this.connection = connection;
    this.envoy = envoy;
    this.kind = kind;
    this.rate = rate;
    this.pool = pool;
    this.counters = counters;
    this.options = options;
    this.makeIdentifier = makeIdentifier;
  }

  /** Sends one message of `entries` new entries, or sheds them when the backlog is full. */
  send(entries: number, sentAtMs: number): void {
    const counters = this.counters;
    if (this.backlogBytes > this.options.maxBacklogBytes) {
      counters.shedEntries += entries;
      return;
    }
    const isFirst = this.state === STREAM_CLOSED;
    if (isFirst) this.open();
    const template = this.pool.take(entries);
    template.fill(this.streamId, this.envoy.index, this.envoy.lastSequence + 1, sentAtMs);
    this.envoy.lastSequence += entries;
    counters.entries += entries;
    counters.messages++;
    counters.bytes += template.creditBytes - ENVELOPE_BYTES;
    const credit = template.creditBytes;
    if (!isFirst && this.backlogBytes === 0 && this.credit >= credit && this.connection.mayWrite(credit)) {
      this.credit -= credit;
      this.connection.writeTemplate(template, this.pool);
      return;
    }
    const body = template.toBody();
    this.pool.give(template);
    this.enqueue(isFirst ? this.addIdentifier(body) : body);
    this.pump();
  }

  /** Sends as much of the backlog as credit allows. */
  pump(): void {
    const connection = this.connection;
    while (this.backlogBytes > 0) {
      const body = this.backlog.peek()!;
      const allowed = Math.min(
        MAX_FRAME_BYTES,
        this.credit,
        connection.writableBytes(),
        body.length - this.backlogOffset,
      );
      if (allowed <= 0) return;
      const header = Buffer.alloc(FRAME_HEADER_BYTES);
      writeFrameHeader(header, 0, allowed, FRAME_DATA, 0, this.streamId);
      this.credit -= allowed;
      connection.writeData(header, body.subarray(this.backlogOffset, this.backlogOffset + allowed));
      this.backlogOffset += allowed;
      this.backlogBytes -= allowed;
      if (this.backlogOffset === body.length) {
        this.backlog.shift();
        this.backlogOffset = 0;
      }
    }
    if (this.endsAfterBacklog) this.sendEnd();
  }

  /** Ends our half once the backlog is out. */
  halfClose(): void {
    if (this.state !== STREAM_OPEN) return;
    this.endsAfterBacklog = true;
    if (this.backlogBytes === 0) this.sendEnd();
  }

  /** The stream is over, by whatever cause; the next message opens a new one. */
  onClosed(): void {
    if (this.state === STREAM_CLOSED) return;
    this.state = STREAM_CLOSED;
    this.counters.streams--;
    this.counters.abandonedMessages += this.backlog.length;
    this.backlog.clear();
    this.backlogOffset = 0;
    this.backlogBytes = 0;
    this.endsAfterBacklog = false;
  }

  get hasBacklog(): boolean {
    return this.backlogBytes > 0;
  }

  private open(): void {
    this.streamId = this.connection.takeStreamId();
    this.credit = this.connection.peerWindowBytes;
    this.state = STREAM_OPEN;
    this.counters.streams++;
    this.connection.write(encodeRequestHeaders(this.streamId, this.options.version, podIp(this.envoy.index)));
  }

  private sendEnd(): void {
    this.endsAfterBacklog = false;
    this.state = STREAM_HALF_CLOSED;
    this.connection.write(encodeFrame(FRAME_DATA, FLAG_END_STREAM, this.streamId, EMPTY_BYTES));
  }

  private enqueue(body: Buffer): void {
    this.backlog.push(body);
    this.backlogBytes += body.length;
  }

  /** @shape envelope | field 1 (identifier) | the message of `body`. */
  private addIdentifier(body: Buffer): Buffer {
    const identifier = this.makeIdentifier(this.envoy.index, this.kind);
    const message = body.subarray(ENVELOPE_BYTES);
    const head = Buffer.alloc(ENVELOPE_BYTES + 1 + 4);
    let at = ENVELOPE_BYTES;
    head[at++] = 0x0a;
    let rest = identifier.length;
    for (; rest >= 128; rest >>>= 7) head[at++] = (rest & 127) | 128;
    head[at++] = rest;
    head.writeUInt32BE(at - ENVELOPE_BYTES + identifier.length + message.length, 1);
    this.counters.firstMessages++;
    this.counters.identifierBytes += at - ENVELOPE_BYTES + identifier.length;
    return Buffer.concat([head.subarray(0, at), identifier, message]);
  }
}
