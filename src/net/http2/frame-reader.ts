/**
 * HOT. Finds the frames in the chunks of one connection.
 *
 * DATA payload is never buffered: what of it lies in a chunk is passed on at once. The payload of any other frame is passed
 * whole: as a range of the chunk if it lies in one, else from a buffer of exactly its size, which exists only meanwhile.
 *
 *   PREFACE ─▶ HEADER ─▶ PAD_LENGTH ─▶ DATA ─▶ SKIP (padding) ─▶ HEADER     DATA frames
 *                 ├────▶ COLLECT ─▶ HEADER                                  frames with a meaning, split over chunks
 *                 └────▶ SKIP ─▶ HEADER                                     frames without
 *
 * @ownership Chunks are borrowed for the call; slices the sink takes out of them are its affair.
 * @source RFC 9113 §3.4, §4.1, §6.1.
 */
import { EMPTY_BYTES } from '../../base/index.js';
import { CLIENT_PREFACE, FLAG_PADDED, FRAME_HEADER_BYTES } from './frame.js';

/** What shall happen with a frame's payload. */
export const TAKE_DATA = 0;
export const TAKE_WHOLE = 1;
export const SKIP_PAYLOAD = 2;
/** The connection is over: read no further. */
export const STOP_READING = 3;

/** Who gets the frames: the connection. */
export interface FrameSink {
  /** A frame header, already complete. @returns one of the four codes above. */
  beginFrame(length: number, type: number, flags: number, streamId: number): number;
  /** The payload of a TAKE_WHOLE frame. @returns false: stop reading. */
  endFrame(bytes: Uint8Array, start: number, end: number): boolean;
  /** A piece of a DATA frame without its padding. @returns false: stop reading. */
  dataPiece(chunk: Uint8Array, start: number, end: number, isLast: boolean): boolean;
  /** `paddingBytes` of the DATA frame just begun are padding, the length byte included. @returns false: stop reading. */
  dataPadding(paddingBytes: number): boolean;
  /** The DATA frame ended without a last piece: it is empty, or padding follows its payload. @returns false: stop. */
  endData(): boolean;
  /** The preface is wrong, or the padding is longer than its frame. */
  refuse(isPreface: boolean): void;
}

const PREFACE = 0;
const HEADER = 1;
const PAD_LENGTH = 2;
const DATA = 3;
const COLLECT = 4;
const SKIP = 5;
const STOPPED = 6;

export class FrameReader {
  private readonly sink: FrameSink;
  private state: number;
  /** Bytes of the preface or of the frame header seen so far. */
  private seen = 0;
  private length = 0;
  private type = 0;
  private flags = 0;
  private streamId = 0;
  /** Payload bytes still to come: of DATA without padding, to collect, or to skip. */
  private left = 0;
  private padding = 0;
  /** SKIP passes over a DATA frame's padding, whose end is the frame's end. */
  private isPadding = false;
  private collected: Uint8Array = EMPTY_BYTES;

  constructor(sink: FrameSink, expectsPreface: boolean) {
    this.sink = sink;
    this.state = expectsPreface ? PREFACE : HEADER;
  }

  /** Consumes the whole chunk. */
  read(chunk: Uint8Array): void {
    const end = chunk.length;
    let at = 0;
    while (at < end) {
      switch (this.state) {
        case HEADER:
          at = this.readHeader(chunk, at, end);
          break;
        case DATA:
          at = this.readData(chunk, at, end);
          break;
        case COLLECT:
          at = this.collect(chunk, at, end);
          break;
        case SKIP:
          at = this.skip(at, end);
          break;
        case PAD_LENGTH:
          this.readPadLength(chunk[at++]!);
          break;
        case PREFACE:
          if (chunk[at++] !== CLIENT_PREFACE[this.seen++]) this.refuse(true);
          else if (this.seen === CLIENT_PREFACE.length) this.expectHeader();
          break;
        default:
          return;
      }
    }
  }

  private readHeader(chunk: Uint8Array, from: number, end: number): number {
    let at = from;
    if (this.seen === 0 && end - at >= FRAME_HEADER_BYTES) {
      this.length = (chunk[at]! << 16) | (chunk[at + 1]! << 8) | chunk[at + 2]!;
      this.type = chunk[at + 3]!;
      this.flags = chunk[at + 4]!;
      this.streamId = ((chunk[at + 5]! & 0x7f) << 24) | (chunk[at + 6]! << 16) | (chunk[at + 7]! << 8) | chunk[at + 8]!;
      at += FRAME_HEADER_BYTES;
    } else {
      while (this.seen < FRAME_HEADER_BYTES) {
        if (at === end) return at;
        this.addHeaderByte(chunk[at++]!);
      }
      this.seen = 0;
    }
    switch (this.sink.beginFrame(this.length, this.type, this.flags, this.streamId)) {
      case TAKE_DATA:
        this.padding = 0;
        this.left = this.length;
        if ((this.flags & FLAG_PADDED) === 0) this.expectData();
        else if (this.left === 0) this.refuse(false);
        else this.state = PAD_LENGTH;
        return at;
      case TAKE_WHOLE:
        if (end - at >= this.length) {
          const next = at + this.length;
          this.expectHeader();
          if (!this.sink.endFrame(chunk, at, next)) this.state = STOPPED;
          return next;
        }
        this.collected = Buffer.allocUnsafeSlow(this.length);
        this.left = this.length;
        this.state = COLLECT;
        return at;
      case SKIP_PAYLOAD:
        this.expectSkip(this.length, false);
        return at;
      default:
        this.state = STOPPED;
        return at;
    }
  }

  private addHeaderByte(byte: number): void {
    const index = this.seen++;
    if (index === 0) this.length = byte;
    else if (index < 3) this.length = (this.length << 8) | byte;
    else if (index === 3) this.type = byte;
    else if (index === 4) this.flags = byte;
    else if (index === 5) this.streamId = byte & 0x7f;
    else this.streamId = (this.streamId << 8) | byte;
  }

  private readPadLength(padLength: number): void {
    if (padLength >= this.left) {
      this.refuse(false);
      return;
    }
    this.left -= padLength + 1;
    this.padding = padLength;
    if (!this.sink.dataPadding(padLength + 1)) this.state = STOPPED;
    else this.expectData();
  }

  /** Payload follows, or the frame has none. */
  private expectData(): void {
    if (this.left > 0) this.state = DATA;
    else if (this.padding > 0) this.expectSkip(this.padding, true);
    else {
      this.expectHeader();
      if (!this.sink.endData()) this.state = STOPPED;
    }
  }

  private readData(chunk: Uint8Array, at: number, end: number): number {
    const count = this.left < end - at ? this.left : end - at;
    this.left -= count;
    const isLast = this.left === 0 && this.padding === 0;
    if (isLast) this.expectHeader();
    else if (this.left === 0) this.expectSkip(this.padding, true);
    if (!this.sink.dataPiece(chunk, at, at + count, isLast)) this.state = STOPPED;
    return at + count;
  }

  private collect(chunk: Uint8Array, at: number, end: number): number {
    const count = this.left < end - at ? this.left : end - at;
    this.collected.set(chunk.subarray(at, at + count), this.length - this.left);
    this.left -= count;
    if (this.left === 0) {
      const payload = this.collected;
      this.collected = EMPTY_BYTES;
      this.expectHeader();
      if (!this.sink.endFrame(payload, 0, payload.length)) this.state = STOPPED;
    }
    return at + count;
  }

  private expectSkip(bytes: number, isPadding: boolean): void {
    this.left = bytes;
    this.isPadding = isPadding;
    if (bytes === 0) this.expectHeader();
    else this.state = SKIP;
  }

  private skip(at: number, end: number): number {
    const count = this.left < end - at ? this.left : end - at;
    this.left -= count;
    if (this.left === 0) {
      this.expectHeader();
      if (this.isPadding && !this.sink.endData()) this.state = STOPPED;
    }
    return at + count;
  }

  private refuse(isPreface: boolean): void {
    this.state = STOPPED;
    this.sink.refuse(isPreface);
  }

  private expectHeader(): void {
    this.state = HEADER;
    this.seen = 0;
  }
}
