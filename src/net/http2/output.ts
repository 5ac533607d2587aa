/**
 * HOT. What a connection has to write, in one piece. Between two takes it holds control frames and headers, in memory of
 * its own that it has only as long as it needs it; for the time of a take it writes into the taker's memory, where the
 * DATA frames follow.
 */
import { EMPTY_BYTES } from '../../base/index.js';
import { FRAME_HEADER_BYTES } from './frame.js';

/** Most turns say no more than a window update and the end of a call. */
const FIRST_BYTES = 128;

export class Output {
  /** Bytes not yet taken. */
  length = 0;
  private bytes: Uint8Array = EMPTY_BYTES;

  writeFrameHeader(length: number, type: number, flags: number, streamId: number): void {
    const at = this.reserve(FRAME_HEADER_BYTES);
    const bytes = this.bytes;
    bytes[at] = length >>> 16;
    bytes[at + 1] = length >>> 8;
    bytes[at + 2] = length;
    bytes[at + 3] = type;
    bytes[at + 4] = flags;
    bytes[at + 5] = streamId >>> 24;
    bytes[at + 6] = streamId >>> 16;
    bytes[at + 7] = streamId >>> 8;
    bytes[at + 8] = streamId;
  }

  writeU32(value: number): void {
    const at = this.reserve(4);
    this.bytes[at] = value >>> 24;
    this.bytes[at + 1] = value >>> 16;
    this.bytes[at + 2] = value >>> 8;
    this.bytes[at + 3] = value;
  }

  /** Copies `bytes[start, end)`. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    const at = this.reserve(end - start);
    this.bytes.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), at);
  }

  /** Moves what is there to the front of `into`, where writing goes on. */
  beginTake(into: Uint8Array): void {
    if (this.length > into.length) return;
    if (this.length > 0) into.set(this.bytes.subarray(0, this.length));
    this.bytes = into;
  }

  /** @returns what was written: the front of `into`, or memory of our own when it was too small. */
  endTake(): Uint8Array {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = EMPTY_BYTES;
    this.length = 0;
    return taken;
  }

  /** Room for `count` bytes. @returns its place. */
  private reserve(count: number): number {
    const at = this.length;
    const end = at + count;
    if (end > this.bytes.length) this.grow(end);
    this.length = end;
    return at;
  }

  private grow(least: number): void {
    let size = this.bytes.length * 2;
    if (size < FIRST_BYTES) size = FIRST_BYTES;
    if (size < least) size = least;
    const grown = Buffer.allocUnsafe(size);
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }
}
