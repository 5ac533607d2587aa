/**
 * HOT. A reading position over bytes. Reads past the end set `failed` and return 0 instead of throwing, so that a parser
 * checks once at the end of a record.
 */
export class Cursor {
  bytes: Uint8Array;
  position: number;
  end: number;
  failed = false;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  readU8(): number {
    if (this.position >= this.end) return this.fail();
    return this.bytes[this.position++]!;
  }

  /** Big-endian, as all network fields. */
  readU16(): number {
    if (this.end - this.position < 2) return this.fail();
    const value = (this.bytes[this.position]! << 8) | this.bytes[this.position + 1]!;
    this.position += 2;
    return value;
  }

  readU32(): number {
    if (this.end - this.position < 4) return this.fail();
    const bytes = this.bytes;
    const at = this.position;
    this.position = at + 4;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  /** Protobuf varint as a double: exact up to 2^53, larger values lose low bits but never fail. */
  readVarint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      if (this.position >= this.end) return this.fail();
      const byte = this.bytes[this.position++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    return this.fail();
  }

  /** A borrowed view of the next `length` bytes. */
  readBytes(length: number): Uint8Array {
    if (length < 0 || this.end - this.position < length) {
      this.fail();
      return EMPTY_BYTES;
    }
    const view = this.bytes.subarray(this.position, this.position + length);
    this.position += length;
    return view;
  }

  skip(length: number): void {
    if (length < 0 || this.end - this.position < length) this.fail();
    else this.position += length;
  }

  private fail(): number {
    this.failed = true;
    this.position = this.end;
    return 0;
  }
}

/** Shared, immutable by convention. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);
