/**
 * A scripted HTTP/2 peer: it drives a connection engine frame by frame, valid or not, and reads what the engine answers.
 * Bytes reach the engine whole, one at a time, or cut at random, so that every script proves all splits.
 */
import { test } from 'node:test';
import { createSeededRandom } from '../../src/base/index.js';
import { HpackDecoder, HpackEncoder } from '../../src/net/hpack/index.js';
import { CLIENT_PREFACE, DEFAULT_HTTP2_SETTINGS, Http2Connection } from '../../src/net/http2/index.js';
import type {
  HeaderFields,
  Http2ConnectionEvents,
  Http2Role,
  Http2Settings,
  Http2StreamEvents,
  Http2StreamHandle,
} from '../../src/net/http2/index.js';
import { lendChunk, takeOutput } from './engine.js';

export const SPLITS = ['whole', 'bytes', 'random'] as const;
export type Split = (typeof SPLITS)[number];

/** How a peer cuts when its test does not say: so a whole run can be repeated with other cuts. */
const DEFAULT_SPLIT = SPLITS.find((split) => split === process.env.SATELLITE_WIRE_SPLIT) ?? 'whole';

/** Registers one test for each way of cutting the bytes. */
export function testSplits(name: string, script: (split: Split) => void): void {
  for (const split of SPLITS) test(`${name} (${split})`, () => script(split));
}

export const FRAME_NAMES = [
  'DATA',
  'HEADERS',
  'PRIORITY',
  'RST_STREAM',
  'SETTINGS',
  'PUSH_PROMISE',
  'PING',
  'GOAWAY',
  'WINDOW_UPDATE',
  'CONTINUATION',
] as const;
export type FrameName = (typeof FRAME_NAMES)[number];

/** A frame the engine sent. */
export interface SeenFrame {
  readonly name: string;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** One event of the engine, in the order they came. */
export interface SeenEvent {
  readonly kind: 'stream' | 'headers' | 'data' | 'reset' | 'drain' | 'settings' | 'goaway' | 'closed' | 'finished';
  readonly streamId: number;
  /** Fields of headers. */
  readonly fields: HeaderFields;
  readonly isEnd: boolean;
  readonly isTrailers: boolean;
  /** Payload of data, or debug data. */
  readonly bytes: Buffer;
  /** Error code, or last stream id. */
  readonly code: number;
  readonly isUnprocessed: boolean;
  readonly reason: string;
}

const NO_EVENT: Omit<SeenEvent, 'kind'> = {
  streamId: 0,
  fields: [],
  isEnd: false,
  isTrailers: false,
  bytes: Buffer.alloc(0),
  code: 0,
  isUnprocessed: false,
  reason: '',
};

/** Builds a frame; `length` lies about the payload's length if given. */
export function frame(
  name: FrameName | number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
  length: number = payload.length,
): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(length, 0, 3);
  header.writeUInt8(typeof name === 'number' ? name : FRAME_NAMES.indexOf(name), 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

/** A payload of 32-bit numbers. */
export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4));
  return bytes;
}

/** A SETTINGS frame of id, value pairs. */
export function settingsFrame(...pairs: [number, number][]): Buffer {
  const payload = Buffer.alloc(pairs.length * 6);
  pairs.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return frame('SETTINGS', 0, 0, payload);
}

export const REQUEST: HeaderFields = [
  ':method',
  'POST',
  ':scheme',
  'http',
  ':path',
  '/service/method',
  ':authority',
  'satellite',
  'content-type',
  'application/grpc',
];
export const RESPONSE: HeaderFields = [':status', '200', 'content-type', 'application/grpc'];

/** How a scripted peer differs from the usual one. */
export interface PeerOptions {
  readonly split?: Split;
  readonly settings?: Partial<Http2Settings>;
  /** Called for each stream the engine accepts, before `stream` is recorded. */
  readonly onStream?: (stream: Http2StreamHandle) => void;
  /** Called with each event, while the engine is calling. */
  readonly onEvent?: (event: SeenEvent, stream: Http2StreamHandle | null) => void;
}

export class ScriptedPeer {
  readonly engine: Http2Connection;
  readonly events: SeenEvent[] = [];
  /** Handles of the streams the engine accepted or opened, by id. */
  readonly streams = new Map<number, Http2StreamHandle>();
  /** Times the engine asked for its output to be taken. */
  outputSignals = 0;
  /** Parts of all output taken so far. */
  sent: Buffer = Buffer.alloc(0);
  nowMs = 0;
  private readonly split: Split;
  private readonly random = createSeededRandom(9113);
  private readonly encoder = new HpackEncoder();
  private readonly decoder = new HpackDecoder(4096);
  private unread = Buffer.alloc(0);
  private isPrefaceRead = false;
  private readonly onEvent: (event: SeenEvent, stream: Http2StreamHandle | null) => void;

  /** `role` is the engine's. */
  constructor(role: Http2Role, options: PeerOptions = {}) {
    this.split = options.split ?? DEFAULT_SPLIT;
    this.onEvent = options.onEvent ?? (() => undefined);
    const events: Http2ConnectionEvents = {
      onStream: (stream, fields, isEnd) => {
        stream.events = this.streamEvents;
        this.streams.set(stream.id, stream);
        options.onStream?.(stream);
        this.record({ kind: 'stream', streamId: stream.id, fields, isEnd }, stream);
      },
      onSettings: () => this.record({ kind: 'settings' }),
      onGoAway: (code, _error, debug) => this.record({ kind: 'goaway', code, bytes: Buffer.from(debug) }),
      onStreamClosed: (stream) => this.record({ kind: 'closed', streamId: stream.id }, stream),
    };
    const host = {
      onOutput: (): void => {
        this.outputSignals++;
      },
      onFinished: (): void => this.record({ kind: 'finished' }),
    };
    this.engine = new Http2Connection(role, { ...DEFAULT_HTTP2_SETTINGS, ...options.settings }, events, host);
    this.isPrefaceRead = role === 'server';
  }

  /** Gives bytes to the engine, cut as this peer cuts. */
  send(...pieces: Uint8Array[]): void {
    const bytes = Buffer.concat(pieces);
    for (let at = 0; at < bytes.length;) {
      let size = bytes.length;
      if (this.split === 'bytes') size = 1;
      else if (this.split === 'random') size = 1 + Math.floor(this.random() * 40);
      lendChunk(this.engine, bytes.subarray(at, at + size), this.nowMs);
      at += size;
    }
  }

  /** Preface (as a client) and SETTINGS, the engine's SETTINGS taken and acknowledged. */
  handshake(...pairs: [number, number][]): this {
    if (this.engine.role === 'server') this.send(CLIENT_PREFACE);
    this.send(settingsFrame(...pairs), frame('SETTINGS', 1, 0));
    this.frames();
    this.events.length = 0;
    return this;
  }

  /** A HEADERS frame with this peer's compression state. */
  headers(streamId: number, fields: HeaderFields, endStream: boolean): Buffer {
    return frame('HEADERS', endStream ? 5 : 4, streamId, this.block(fields));
  }

  /** A header block with this peer's compression state. */
  block(fields: HeaderFields): Buffer {
    return Buffer.from(this.encoder.encode(fields));
  }

  /** Opens a stream on the engine (client role). */
  open(fields: HeaderFields = REQUEST, endStream = false): Http2StreamHandle {
    const stream = this.engine.openStream(fields, endStream, this.streamEvents, null);
    if (stream === null) throw new Error('the engine has no free stream');
    this.streams.set(stream.id, stream);
    return stream;
  }

  /** Takes the engine's output and returns the frames complete in it. */
  frames(): SeenFrame[] {
    const taken = takeOutput(this.engine);
    this.sent = Buffer.concat([this.sent, taken]);
    this.unread = Buffer.concat([this.unread, taken]);
    if (!this.isPrefaceRead) {
      this.isPrefaceRead = true;
      this.unread = this.unread.subarray(CLIENT_PREFACE.length);
    }
    const frames: SeenFrame[] = [];
    while (this.unread.length >= 9) {
      const length = this.unread.readUIntBE(0, 3);
      if (this.unread.length < 9 + length) break;
      frames.push({
        name: FRAME_NAMES[this.unread.readUInt8(3)] ?? `type ${this.unread.readUInt8(3)}`,
        flags: this.unread.readUInt8(4),
        streamId: this.unread.readUInt32BE(5),
        payload: this.unread.subarray(9, 9 + length),
      });
      this.unread = this.unread.subarray(9 + length);
    }
    return frames;
  }

  /** The frames as short texts: `HEADERS 1 end`, `DATA 1 5 end`, `RST_STREAM 1 code 8`, `GOAWAY 0 code 1`, … */
  answers(): string[] {
    return this.frames().map(describeFrame);
  }

  /** Fields of a HEADERS frame the engine sent; each frame once, in order. */
  fieldsOf(seen: SeenFrame): string[] {
    const fields: string[] = [];
    this.decoder.decode(seen.payload, 0, seen.payload.length, fields, 1 << 20);
    return fields;
  }

  /** The events of one kind, or all, since the handshake. */
  eventsOf(kind: SeenEvent['kind'], streamId?: number): SeenEvent[] {
    return this.events.filter(
      (event) => event.kind === kind && (streamId === undefined || event.streamId === streamId),
    );
  }

  /** Kinds of all events so far, in order. */
  kinds(): string[] {
    return this.events.map((event) => event.kind);
  }

  /** All payload a stream got. */
  dataOf(streamId: number): Buffer {
    return Buffer.concat(this.eventsOf('data', streamId).map((event) => event.bytes));
  }

  private readonly streamEvents: Http2StreamEvents = {
    onHeaders: (stream, fields, isEnd, isTrailers) =>
      this.record({ kind: 'headers', streamId: stream.id, fields, isEnd, isTrailers }, stream),
    onData: (stream, slice, isEnd) =>
      this.record({ kind: 'data', streamId: stream.id, bytes: Buffer.from(slice), isEnd }, stream),
    onReset: (stream, code, isUnprocessed, reason) =>
      this.record({ kind: 'reset', streamId: stream.id, code, isUnprocessed, reason }, stream),
    onDrain: (stream) => this.record({ kind: 'drain', streamId: stream.id }, stream),
  };

  private record(
    event: Partial<SeenEvent> & { kind: SeenEvent['kind'] },
    stream: Http2StreamHandle | null = null,
  ): void {
    const seen = { ...NO_EVENT, ...event };
    this.events.push(seen);
    this.onEvent(seen, stream);
  }
}

function describeFrame(seen: SeenFrame): string {
  const words: (string | number)[] = [seen.name, seen.streamId];
  if (seen.name === 'DATA') words.push(seen.payload.length);
  if (seen.name === 'RST_STREAM') words.push('code', seen.payload.readUInt32BE(0));
  if (seen.name === 'GOAWAY') words.push('last', seen.payload.readUInt32BE(0), 'code', seen.payload.readUInt32BE(4));
  if (seen.name === 'WINDOW_UPDATE') words.push(seen.payload.readUInt32BE(0));
  if ((seen.name === 'DATA' || seen.name === 'HEADERS') && (seen.flags & 1) !== 0) words.push('end');
  if ((seen.name === 'SETTINGS' || seen.name === 'PING') && (seen.flags & 1) !== 0) words.push('ack');
  return words.join(' ');
}
