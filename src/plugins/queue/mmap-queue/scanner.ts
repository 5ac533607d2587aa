/**
 * HOT. Walks the records between two places of a segment. What is no record is stepped over to the next one that is: a
 * region of damage, counted once however long it is.
 */
import { crc32 } from 'node:zlib';
import { MIN_PAYLOAD_BYTES, RECORD_HEADER_BYTES, RECORD_MAGIC, RECORD_MAGIC_BYTES } from './record.js';

/** Where the bytes of a segment come from. */
export interface ByteSource {
  /** Fills `target` from `position` on; returns how many bytes there were. */
  read(target: Buffer, position: number): number;
}

/** Bytes asked for at once: large enough for a disk. */
const WINDOW_BYTES = 128 * 1024;
/** Memory to read into that is used again: holds the largest event of receivers' defaults. A larger one gets its own. */
const LENT_BYTES = 640 * 1024;
const EMPTY = Buffer.alloc(0);

/** Memory for scanners to read into, one at a time. */
export function createScanMemory(): Buffer {
  return Buffer.allocUnsafeSlow(LENT_BYTES);
}

export class RecordScanner {
  /** Of the next record. */
  position: number;
  /** Behind the last good record. */
  goodEnd: number;
  damagedRegions = 0;
  /** The scan stands in damage: at the end it means that the tail is torn. */
  isInDamage = false;
  private readonly source: ByteSource;
  private readonly end: number;
  private readonly salt: number;
  private readonly lent: Buffer;
  private window: Buffer = EMPTY;
  private windowStart = 0;

  /** @ownership borrows `lent`; one scanner at a time uses it. */
  constructor(source: ByteSource, start: number, end: number, salt: number, lent = createScanMemory()) {
    this.source = source;
    this.position = start;
    this.goodEnd = start;
    this.end = end;
    this.salt = salt;
    this.lent = lent;
  }

  /**
   * The payload of the next good record, or null at the end.
   * @ownership a view that holds until the next call.
   */
  next(): Buffer | null {
    while (this.end - this.position >= RECORD_HEADER_BYTES) {
      const payload = this.tryRecord();
      if (payload !== null) {
        this.isInDamage = false;
        this.goodEnd = this.position;
        return payload;
      }
      this.enterDamage();
      this.position = this.findMagic(this.position + 1);
    }
    if (this.position < this.end) {
      this.enterDamage();
      this.position = this.end;
    }
    return null;
  }

  private enterDamage(): void {
    if (this.isInDamage) return;
    this.isInDamage = true;
    this.damagedRegions++;
  }

  /** The record at `position`, which then moves behind it; null when there is none. */
  private tryRecord(): Buffer | null {
    if (!this.ensure(this.position, RECORD_HEADER_BYTES)) return null;
    const at = this.position - this.windowStart;
    if (this.window.readUInt32LE(at) !== RECORD_MAGIC) return null;
    const length = this.window.readUInt32LE(at + 4);
    const crc = this.window.readUInt32LE(at + 8);
    if (length < MIN_PAYLOAD_BYTES || length > this.end - this.position - RECORD_HEADER_BYTES) return null;
    if (!this.ensure(this.position, RECORD_HEADER_BYTES + length)) return null;
    const start = this.position - this.windowStart + RECORD_HEADER_BYTES;
    const payload = this.window.subarray(start, start + length);
    if (crc32(payload, this.salt) !== crc) return null;
    this.position += RECORD_HEADER_BYTES + length;
    return payload;
  }

  /** Where the next magic stands at or after `from`; the end when there is none. */
  private findMagic(from: number): number {
    while (this.ensure(from, RECORD_MAGIC_BYTES.length)) {
      const found = this.window.indexOf(RECORD_MAGIC_BYTES, from - this.windowStart);
      if (found >= 0) return this.windowStart + found;
      from = this.windowStart + this.window.length - RECORD_MAGIC_BYTES.length + 1;
    }
    return this.end;
  }

  /** Has `count` bytes from `position` on in the window; false when the segment ends before. */
  private ensure(position: number, count: number): boolean {
    if (position >= this.windowStart && position + count <= this.windowStart + this.window.length) return true;
    const wanted = Math.min(Math.max(count, WINDOW_BYTES), this.end - position);
    if (wanted < count) return false;
    const window = wanted <= this.lent.length ? this.lent.subarray(0, wanted) : Buffer.allocUnsafeSlow(wanted);
    // What is here already is not read again; it may lie in the same memory.
    const from = position - this.windowStart;
    const kept = from >= 0 && from < this.window.length ? this.window.copy(window, 0, from) : 0;
    const read = kept + this.source.read(window.subarray(kept), position + kept);
    this.window = window.subarray(0, read);
    this.windowStart = position;
    return read >= count;
  }
}
