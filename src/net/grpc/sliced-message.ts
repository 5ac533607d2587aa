import { EMPTY_BYTES, type Slab } from '../../base/index.js';
import type { Message } from './contract.js';

const NO_PARTS: readonly Uint8Array[] = [];

/**
 * HOT. A message in one block of a slab, or in parts of its own. The one class of messages, so that call sites see one
 * shape. Of a block it keeps the place only: thousands of messages wait at a time, and a view of each is three times the
 * objects for the collector to carry around.
 */
export class SlicedMessage implements Message {
  length: number;
  pinnedBytes: number;
  private kept: readonly Uint8Array[] | null;
  /** Where its first part lies, when that is a block: to be given back. */
  private slab: Slab | null = null;
  private blockStart = 0;
  private blockBytes = 0;

  /** `parts` null: it lies in a block. @order then `own` follows at once. */
  constructor(parts: readonly Uint8Array[] | null, length: number, pinnedBytes: number) {
    this.kept = parts;
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

  get parts(): readonly Uint8Array[] {
    if (this.kept !== null) return this.kept;
    const slab = this.slab;
    return slab === null || this.length === 0
      ? NO_PARTS
      : [slab.bytes.subarray(this.blockStart, this.blockStart + this.length)];
  }

  release(): void {
    const slab = this.slab;
    if (slab === null) return;
    this.slab = null;
    slab.giveBack(this.blockStart, this.blockBytes);
  }

  shrink(length: number): void {
    const cut = this.length - length;
    if (this.slab !== null) {
      if (length === 0) {
        // An empty block belongs to nobody: its slab may be another's by the time it would be given back.
        this.release();
      } else {
        this.slab.giveBack(this.blockStart + this.blockBytes - cut, cut);
        this.blockBytes -= cut;
      }
      this.length = length;
      this.pinnedBytes -= cut;
      return;
    }
    const part = this.parts[0]!.subarray(0, length);
    const isCopied = length * 2 < this.pinnedBytes;
    this.kept = length === 0 ? NO_PARTS : [isCopied ? Uint8Array.from(part) : part];
    this.length = length;
    if (isCopied) this.pinnedBytes = length;
  }
}

/** The bytes of a message in one piece of their own memory; the message is released. Cold. */
export function takeBytes(message: Message): Uint8Array {
  if (message.length === 0) return EMPTY_BYTES;
  const bytes = new Uint8Array(message.length);
  let at = 0;
  for (const part of message.parts) {
    bytes.set(part, at);
    at += part.length;
  }
  message.release();
  return bytes;
}
