/**
 * HOT. Walks the fields of a protobuf message as it lies in its parts, which are one as a rule and never joined. Lengths
 * are skipped over, so the cost follows the number of fields, not of bytes.
 * A read past the end or an impossible varint sets `failed`; the caller checks it once per field.
 */
import { EMPTY_BYTES } from '../../base/index.js';
import type { Message } from '../../net/grpc/contract.js';

/** Protobuf wire types. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A varint is at most this long: 64 bits in groups of seven. */
const MAX_VARINT_BYTES = 10;
/** Tags are 32-bit: a field number of 29 bits and a wire type. */
const TAG_LIMIT = 2 ** 32;
const NO_PARTS: readonly Uint8Array[] = [];

export class FieldScanner {
  /** Something read was no protobuf; all further reads return 0. */
  failed = false;
  /** Absolute end of the message. */
  length = 0;
  private parts: readonly Uint8Array[] = NO_PARTS;
  private partIndex = 0;
  private bytes: Uint8Array = EMPTY_BYTES;
  /** Position in `bytes`, and the absolute position of its first byte. */
  private at = 0;
  private partStart = 0;

  /** Begins at the front of `message`. @ownership borrows its parts until `stop`. */
  start(message: Message): void {
    const { parts } = message;
    this.parts = parts;
    this.length = message.length;
    this.failed = false;
    this.partIndex = 0;
    this.bytes = parts.length === 0 ? EMPTY_BYTES : parts[0]!;
    this.at = 0;
    this.partStart = 0;
  }

  /** Forgets the message, so that the scanner keeps no chunk alive. */
  stop(): void {
    this.parts = NO_PARTS;
    this.bytes = EMPTY_BYTES;
  }

  /** Absolute position from the front of the message. */
  get position(): number {
    return this.partStart + this.at;
  }

  /** The next tag; 0 when failed. Field number 0 fails. */
  readTag(): number {
    // One byte holds the tag of every field up to number 15.
    if (this.at < this.bytes.length) {
      const first = this.bytes[this.at]!;
      if (first < 0x80 && first > 7) {
        this.at++;
        return first;
      }
    }
    const tag = this.readVarint();
    if (tag >= TAG_LIMIT || tag < 8) return this.fail();
    return tag;
  }

  /** A varint, exact up to 2^53. */
  readVarint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      if (this.at >= this.bytes.length && !this.nextPart()) return this.fail();
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    return this.fail();
  }

  /** The length of a bytes field, which must fit before `end`. */
  readLength(end: number): number {
    const length = this.readVarint();
    return length > end - this.position ? this.fail() : length;
  }

  skip(count: number): void {
    if (count > this.length - this.position) {
      this.fail();
      return;
    }
    let at = this.at + count;
    while (at > this.bytes.length) {
      at -= this.bytes.length;
      this.partStart += this.bytes.length;
      this.bytes = this.parts[++this.partIndex]!;
    }
    this.at = at;
  }

  /** Steps over the value of a field whose tag was read. Groups, which proto3 does not have, fail. */
  skipValue(tag: number, end: number): void {
    switch (tag & 7) {
      case WIRE.varint:
        this.readVarint();
        break;
      case WIRE.fixed64:
        this.skip(8);
        break;
      case WIRE.bytes:
        this.skip(this.readLength(end));
        break;
      case WIRE.fixed32:
        this.skip(4);
        break;
      default:
        this.fail();
    }
    if (this.position > end) this.fail();
  }

  private nextPart(): boolean {
    while (this.partIndex + 1 < this.parts.length) {
      this.partStart += this.bytes.length;
      this.bytes = this.parts[++this.partIndex]!;
      this.at = 0;
      if (this.bytes.length > 0) return true;
    }
    return false;
  }

  private fail(): number {
    this.failed = true;
    return 0;
  }
}
