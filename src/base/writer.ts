/** HOT. A growing buffer for small protobuf records; `take` hands the written bytes over and starts anew. */
export class ByteWriter {
  private buffer: Uint8Array;
  private position = 0;

  constructor(initialBytes = 256) {
    this.buffer = new Uint8Array(Math.max(initialBytes, MINIMUM_BYTES));
  }

  /** Protobuf varint of a non-negative integer below 2^53. */
  writeVarint(value: number): this {
    this.reserve(MAX_VARINT_BYTES);
    while (value >= 128) {
      this.buffer[this.position++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.buffer[this.position++] = value;
    return this;
  }

  writeBytes(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.position);
    this.position += bytes.length;
    return this;
  }

  /** Transfers the written bytes to the caller, exactly sized, and empties the writer. */
  take(): Uint8Array {
    const bytes = this.buffer.slice(0, this.position);
    this.position = 0;
    return bytes;
  }

  private reserve(count: number): void {
    if (this.position + count <= this.buffer.length) return;
    let capacity = this.buffer.length * 2;
    while (capacity < this.position + count) capacity *= 2;
    const grown = new Uint8Array(capacity);
    grown.set(this.buffer.subarray(0, this.position));
    this.buffer = grown;
  }
}

/** Doubling must start from something. */
const MINIMUM_BYTES = 16;
const MAX_VARINT_BYTES = 10;
