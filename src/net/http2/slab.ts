/**
 * HOT. Memory for small runs of bytes, handed out front to back and shared by all connections of the process.
 * @ownership A region handed out belongs to the taker for good; the slab is freed when the last view of it is. Slabs are
 * small, so that one view kept long (by a slow reader, say) pins little.
 */
const SLAB_BYTES = 32 << 10;

export class Slab {
  bytes: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** Bytes handed out of the current slab. */
  used = 0;

  /** Makes room for `count` (at most SLAB_BYTES) contiguous bytes, in a new slab if need be. */
  ensure(count: number): void {
    if (this.used + count <= SLAB_BYTES) return;
    this.bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.used = 0;
  }

  /** An owned copy of a short slice (at most SLAB_BYTES). */
  copy(source: Uint8Array): Uint8Array {
    this.ensure(source.length);
    const start = this.used;
    this.used = start + source.length;
    this.bytes.set(source, start);
    return this.bytes.subarray(start, this.used);
  }
}
