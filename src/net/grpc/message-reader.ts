/**
 * HOT. Cuts a stream of DATA payloads into messages ("envelopes"), across any split.
 *
 *     | flag u8 | length u32, big-endian | body … |      flag 0: identity, 1: compressed
 *
 *   prefix (0–4 bytes seen) ──5th byte──▶ body (`missing` > 0) ──last byte──▶ complete ──take──▶ prefix
 *
 * Bodies are never joined or copied: a message is the slices it came in. Only a peer that fragments a message into tiny
 * frames gets its fragments gathered into slabs, so that its bytes cannot cost fifty times their size in views.
 * @ownership slices are kept by reference until their message is taken; the taker owns them then.
 */
import { EMPTY_BYTES } from '../../base/index.js';
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

/** Views below this size are gathered once a message has `MANY_PARTS`: a view costs about 100 bytes itself. */
const SMALL_PART_BYTES = 256;
/** No honest sender fragments so finely before that: 16 frames of the smallest legal size make 256 KiB. */
const MANY_PARTS = 16;
const SLAB_BYTES = 4096;
const NO_PARTS: readonly Uint8Array[] = [];

export class MessageReader {
  private readonly maxMessageBytes: number;
  private readonly meter: ReassemblyMeter;
  /** The slice being read, and the place in it. */
  private input: Uint8Array = EMPTY_BYTES;
  private inputPinned = 0;
  private at = 0;
  /** The message being read. */
  private prefixSeen = 0;
  private flag = 0;
  private bodyBytes = 0;
  private missing = 0;
  private parts: Uint8Array[] | null = null;
  private pinned = 0;
  /** Fragments being gathered; null as a rule. */
  private slab: Uint8Array | null = null;
  private slabUsed = 0;
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
  push(slice: Uint8Array, pinnedBytes: number): void {
    this.input = slice;
    this.inputPinned = pinnedBytes;
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
    const left = input.length - this.at;
    const taken = this.missing < left ? this.missing : left;
    if (taken > 0) this.addPart(taken, left);
    if (this.missing > 0) return this.suspend();
    return this.flag === 0 ? READ.message : READ.compressed;
  }

  /** Transfers the complete message to the caller. */
  takeMessage(): Message {
    this.closeSlab();
    const message = new SlicedMessage(this.parts ?? NO_PARTS, this.bodyBytes, this.pinned);
    this.reset();
    return message;
  }

  /** Forgets what is pending and gives its bytes back to the meter. Idempotent. */
  release(): void {
    this.slab = null;
    this.input = EMPTY_BYTES;
    this.at = 0;
    this.reset();
  }

  private addPart(taken: number, left: number): void {
    const input = this.input;
    // A slice that several messages share is charged to them by length; the last one takes the remainder.
    const share = taken === left ? this.inputPinned : Math.floor((this.inputPinned * taken) / left);
    const part = taken === input.length ? input : input.subarray(this.at, this.at + taken);
    this.at += taken;
    this.missing -= taken;
    this.inputPinned -= share;
    if (this.parts === null) {
      this.parts = [part];
      this.pinned = share;
    } else if (taken < SMALL_PART_BYTES && this.parts.length >= MANY_PARTS) {
      this.gather(part);
    } else {
      this.closeSlab();
      this.parts.push(part);
      this.pinned += share;
    }
  }

  private gather(part: Uint8Array): void {
    if (this.slab === null || this.slab.length - this.slabUsed < part.length) {
      this.closeSlab();
      this.slab = new Uint8Array(SLAB_BYTES);
      this.pinned += SLAB_BYTES;
    }
    this.slab.set(part, this.slabUsed);
    this.slabUsed += part.length;
  }

  private closeSlab(): void {
    if (this.slab === null) return;
    this.parts!.push(this.slab.subarray(0, this.slabUsed));
    this.slab = null;
    this.slabUsed = 0;
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
    this.parts = null;
    this.pinned = 0;
  }
}
