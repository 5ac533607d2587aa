/**
 * HOT. A reading position over bytes. Reads past the end set `failed` and return 0 instead of throwing, so that a parser
 * checks once at the end of a record.
 */
export class Cursor {
  readonly bytes: Uint8Array;
  position: number;
  readonly end: number;
  failed = false;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
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
