/**
 * HOT. Cuts a stream of DATA payloads into messages ("envelopes"), across any split.
 *
 *     | flag u8 | length u32, big-endian | body … |      flag 0: identity, 1: compressed
 *
 *   prefix (0–4 bytes seen) ──5th byte──▶ body (`missing` > 0) ──last byte──▶ complete ──take──▶ prefix
 *
 * A body is copied once, into a block of its own size as a rule: what was read goes back to the socket at once, and the
 * message lies in one piece however it was framed. A block is only so much larger than what has come that a peer who
 * announces a message and does not send it holds little.
 * @ownership slices are borrowed for `next`; a message taken is its taker's.
 */
import { EMPTY_BYTES, MAX_BLOCK_BYTES, type Slab } from '../../base/index.js';
import type { Message } from './contract.js';
import type { ReassemblyMeter } from './reassembly-meter.js';
import { SlicedMessage } from './sliced-message.js';

/** Results of `next`. */
export const READ = {
  /** The slice is used up. */
  needMore: 0,
  /** A message is complete: take it. */
  message: 1,
  /** A complete message, compressed: take it. */
  compressed: 2,
  /** The prefix announces more than the limit: `announcedBytes`. */
  tooLarge: 3,
  /** The flag is neither 0 nor 1. */
  badFlag: 4,
  /** All incomplete messages together are above the meter's limit. */
  overBudget: 5,
} as const;

/** A block is at most so many times as large as what is there to be copied into it, or MIN_BLOCK_BYTES. */
const BLOCK_RATIO = 16;
const MIN_BLOCK_BYTES = 1024;
/** Of the blocks of a large message. */
const LARGE_BLOCK_BYTES = 256 * 1024;
const NO_PARTS: readonly Uint8Array[] = [];

export class MessageReader {
  private readonly maxMessageBytes: number;
  private readonly meter: ReassemblyMeter;
  /** The slice being read, and the place in it. */
  private input: Uint8Array = EMPTY_BYTES;
  private at = 0;
  /** The message being read. */
  private prefixSeen = 0;
  private flag = 0;
  private bodyBytes = 0;
  private missing = 0;
  /** Its block being filled: `[fillStart, fillAt)` of the memory is full, up to `fillEnd` is room. */
  private fill: Uint8Array = EMPTY_BYTES;
  private fillStart = 0;
  private fillAt = 0;
  private fillEnd = 0;
  /** Its full blocks; null as a rule. */
  private parts: Uint8Array[] | null = null;
  private pinned = 0;
  /** Where its first block lies; null when it has none, or one that is too large for a slab. */
  private slab: Slab | null = null;
  private blockStart = 0;
  private blockBytes = 0;
  /** What the meter was told of this message. */
  private charged = 0;

  constructor(maxMessageBytes: number, meter: ReassemblyMeter) {
    this.maxMessageBytes = maxMessageBytes;
    this.meter = meter;
  }

  /** Bytes of the pushed slice used so far. */
  get position(): number {
    return this.at;
  }

  /** Body length by the current prefix. */
  get announcedBytes(): number {
    return this.bodyBytes;
  }

  /** Body bytes of the current message still to come; 0 between messages. */
  get missingBytes(): number {
    return this.missing;
  }

  /** True when nothing of a message, not even of its prefix, is pending. */
  get isAtBoundary(): boolean {
    return this.prefixSeen === 0;
  }

  /** Gives the next slice. @order only after `next` returned needMore. */
  push(slice: Uint8Array): void {
    this.input = slice;
    this.at = 0;
  }

  /** Reads on. @returns a READ code; after message or compressed, `takeMessage` before the next call. */
  next(): number {
    const input = this.input;
    if (this.prefixSeen < 5) {
      while (this.prefixSeen < 5) {
        if (this.at === input.length) return this.suspend();
        const byte = input[this.at++]!;
        if (this.prefixSeen++ === 0) this.flag = byte;
        else this.bodyBytes = this.bodyBytes * 256 + byte;
      }
      if (this.flag > 1) return READ.badFlag;
      if (this.bodyBytes > this.maxMessageBytes) return READ.tooLarge;
      this.missing = this.bodyBytes;
    }
    this.gather();
    if (this.missing > 0) return this.suspend();
    return this.flag === 0 ? READ.message : READ.compressed;
  }

  /** Transfers the complete message to the caller. */
  takeMessage(): Message {
    const isOneBlock = this.parts === null && this.slab !== null;
    if (!isOneBlock) this.closeBlock();
    const parts = isOneBlock ? null : (this.parts ?? NO_PARTS);
    const message = new SlicedMessage(parts, this.bodyBytes, this.pinned);
    if (this.slab !== null) message.own(this.slab, this.blockStart, this.blockBytes);
    this.slab = null;
    this.reset();
    return message;
  }

  /** Forgets what is pending and gives its bytes back. Idempotent. */
  release(): void {
    this.input = EMPTY_BYTES;
    this.at = 0;
    if (this.slab !== null) this.slab.giveBack(this.blockStart, this.blockBytes);
    this.slab = null;
    this.reset();
  }

  /** Copies what the input has of the body. */
  private gather(): void {
    const input = this.input;
    while (this.missing > 0 && this.at < input.length) {
      const left = input.length - this.at;
      const coming = this.missing < left ? this.missing : left;
      if (this.fillAt === this.fillEnd) this.openBlock(coming);
      const room = this.fillEnd - this.fillAt;
      const count = coming < room ? coming : room;
      this.fill.set(count === input.length ? input : input.subarray(this.at, this.at + count), this.fillAt);
      this.fillAt += count;
      this.at += count;
      this.missing -= count;
    }
  }

  private openBlock(coming: number): void {
    this.closeBlock();
    let bytes = coming * BLOCK_RATIO;
    if (bytes < MIN_BLOCK_BYTES) bytes = MIN_BLOCK_BYTES;
    if (bytes > LARGE_BLOCK_BYTES) bytes = LARGE_BLOCK_BYTES;
    if (bytes > this.missing) bytes = this.missing;
    this.pinned += bytes;
    const { blocks } = this.meter;
    if (this.parts === null && bytes <= MAX_BLOCK_BYTES && !blocks.isStrewn) {
      this.slab = blocks.take(bytes);
      this.blockStart = blocks.start;
      this.blockBytes = bytes;
      this.fill = this.slab.bytes;
      this.fillStart = blocks.start;
    } else {
      this.fill = new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
      this.fillStart = 0;
    }
    this.fillAt = this.fillStart;
    this.fillEnd = this.fillStart + bytes;
  }

  private closeBlock(): void {
    if (this.fillEnd === 0) return;
    const part = this.fill.subarray(this.fillStart, this.fillAt);
    if (this.parts === null) this.parts = [part];
    else this.parts.push(part);
    this.fill = EMPTY_BYTES;
    this.fillStart = 0;
    this.fillAt = 0;
    this.fillEnd = 0;
  }

  private suspend(): number {
    this.input = EMPTY_BYTES;
    const more = this.pinned - this.charged;
    if (more === 0) return READ.needMore;
    this.charged = this.pinned;
    return this.meter.charge(more, this.pinned) ? READ.needMore : READ.overBudget;
  }

  private reset(): void {
    if (this.charged > 0) this.meter.release(this.charged);
    this.charged = 0;
    this.prefixSeen = 0;
    this.flag = 0;
    this.bodyBytes = 0;
    this.missing = 0;
    this.fill = EMPTY_BYTES;
    this.fillStart = 0;
    this.fillAt = 0;
    this.fillEnd = 0;
    this.parts = null;
    this.pinned = 0;
  }
}
