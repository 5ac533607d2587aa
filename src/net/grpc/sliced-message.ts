import type { Slab } from '../../base/index.js';
import type { Message } from './contract.js';

/** HOT. A message as the blocks it was gathered in. The one class of messages, so that call sites see one shape. */
export class SlicedMessage implements Message {
  parts: readonly Uint8Array[];
  length: number;
  pinnedBytes: number;
  /** Where its first part lies, when that is a block of a pool: to be given back. */
  private slab: Slab | null = null;
  private blockStart = 0;
  private blockBytes = 0;

  constructor(parts: readonly Uint8Array[], length: number, pinnedBytes: number) {
    this.parts = parts;
    this.length = length;
    this.pinnedBytes = pinnedBytes;
  }

  /** @ownership takes over the block of the first part. */
  own(slab: Slab, start: number, length: number): this {
    this.slab = slab;
    this.blockStart = start;
    this.blockBytes = length;
    return this;
  }

  release(): void {
    const slab = this.slab;
    if (slab === null) return;
    this.slab = null;
    slab.giveBack(this.blockStart, this.blockBytes);
  }

  shrink(length: number): void {
    const cut = this.length - length;
    const part = this.parts[0]!.subarray(0, length);
    this.parts = length === 0 ? [] : [part];
    this.length = length;
    if (this.slab !== null) {
      this.slab.giveBack(this.blockStart + this.blockBytes - cut, cut);
      this.blockBytes -= cut;
      this.pinnedBytes -= cut;
    } else if (length * 2 < this.pinnedBytes) {
      if (length > 0) this.parts = [Uint8Array.from(part)];
      this.pinnedBytes = length;
    }
  }
}
