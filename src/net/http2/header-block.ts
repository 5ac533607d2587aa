/** HOT. A header block on its way: the fragments of HEADERS and its CONTINUATION frames, joined. @source RFC 9113 §4.3. */
import { EMPTY_BYTES } from '../../base/index.js';

export class HeaderBlock {
  /** The stream whose block is incomplete; 0: none is, and any frame may come. */
  streamId = 0;
  endStream = false;
  dependsOnItself = false;
  /** CONTINUATION frames seen. */
  continuations = 0;
  length = 0;
  bytes: Uint8Array = EMPTY_BYTES;

  begin(streamId: number, endStream: boolean, dependsOnItself: boolean): void {
    this.streamId = streamId;
    this.endStream = endStream;
    this.dependsOnItself = dependsOnItself;
    this.continuations = 0;
    this.length = 0;
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(length * 2);
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(bytes.subarray(start, end), this.length);
    this.length = length;
  }

  clear(): void {
    this.streamId = 0;
    this.length = 0;
    this.bytes = EMPTY_BYTES;
  }
}
