/**
 * HOT. Decodes header blocks. One instance per connection and direction; blocks must come in wire order, each whole.
 * @source RFC 7541 §3, §5, §6.
 */
import { EMPTY_BYTES } from '../../base/index.js';
import type { ErrorKind } from '../../base/index.js';
import { DynamicTable, ENTRY_OVERHEAD_BYTES } from './dynamic-table.js';
import { HPACK_ERRORS } from './errors.js';
import { decodeHuffman } from './huffman.js';
import { STATIC_ENTRIES, STATIC_NAMES, STATIC_VALUES } from './static-table.js';

/** Outcomes of `decode`. Every negative one means COMPRESSION_ERROR for the connection. */
export const HPACK_OK = 0;
/** All decoded and the table is in step, but fields beyond the list limit were dropped: refuse this call only. */
export const HPACK_LIST_TOO_LARGE = 1;
/** Not all decoded: a list many times the limit is made to cost us work. The table is out of step, end the connection. */
export const HPACK_LIST_BOMB = 2;
export const HPACK_TRUNCATED = -1;
export const HPACK_INTEGER = -2;
export const HPACK_INDEX = -3;
export const HPACK_HUFFMAN = -4;
export const HPACK_TABLE_SIZE = -5;

/** The error row of a `decode` outcome other than HPACK_OK. */
export function hpackErrorOf(outcome: number): ErrorKind {
  switch (outcome) {
    case HPACK_LIST_TOO_LARGE:
    case HPACK_LIST_BOMB:
      return HPACK_ERRORS.LIST_TOO_LARGE;
    case HPACK_TRUNCATED:
      return HPACK_ERRORS.TRUNCATED;
    case HPACK_INTEGER:
      return HPACK_ERRORS.INTEGER;
    case HPACK_INDEX:
      return HPACK_ERRORS.INDEX;
    case HPACK_HUFFMAN:
      return HPACK_ERRORS.HUFFMAN;
    default:
      return HPACK_ERRORS.TABLE_SIZE;
  }
}

/** An honest list may be somewhat too large; one that is so many times too large is an attack. */
const BOMB_RATIO = 4;
/** Larger integers have no use in a header block, and stay exact in 32-bit arithmetic. */
const MAX_INTEGER = 0x0fffffff;

// Decoded Huffman text waits here until it is a string; shared by all connections, grows to the largest block seen.
let scratch = Buffer.allocUnsafeSlow(1024);

export class HpackDecoder {
  private readonly table: DynamicTable;
  /** What we allow the peer's table to be; its own choice (`table.maxBytes`) is at most that. */
  private limitBytes: number;
  private bytes: Uint8Array = EMPTY_BYTES;
  private at = 0;
  private end = 0;
  /** First failure within the block; the readers below return 0 or '' once it is set. */
  private failure = HPACK_OK;

  /** `tableBytes`: our SETTINGS_HEADER_TABLE_SIZE in force (the protocol starts with 4096). */
  constructor(tableBytes: number) {
    this.table = new DynamicTable(tableBytes);
    this.limitBytes = tableBytes;
  }

  /** Our new SETTINGS_HEADER_TABLE_SIZE came into force (the peer acknowledged it). */
  setTableLimit(tableBytes: number): void {
    this.limitBytes = tableBytes;
  }

  /**
   * Decodes one whole block and appends its fields to `out`, flat.
   * @units `maxListBytes` counts names, values and 32 for each field, as SETTINGS_MAX_HEADER_LIST_SIZE does.
   * @ownership Reads `bytes` during the call only.
   * @returns HPACK_OK | HPACK_LIST_TOO_LARGE | HPACK_LIST_BOMB | one of the negative codes.
   */
  decode(bytes: Uint8Array, start: number, end: number, out: string[], maxListBytes: number): number {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.failure = HPACK_OK;
    const outcome = this.decodeFields(out, maxListBytes);
    this.bytes = EMPTY_BYTES;
    return outcome;
  }

  private decodeFields(out: string[], maxListBytes: number): number {
    this.readTableSizes();
    let listBytes = 0;
    while (!this.hasFailed() && this.at < this.end) {
      const first = this.bytes[this.at]!;
      let name: string;
      let value: string;
      if (first >= 0x80) {
        const index = this.readInteger(0x7f);
        name = this.nameOf(index);
        value = this.valueOf(index);
      } else if (first >= 0x40) {
        name = this.readName(0x3f);
        value = this.readString();
        if (!this.hasFailed()) this.table.add(name, value);
      } else if (first >= 0x20) {
        return HPACK_TABLE_SIZE; // size updates stand at the front of a block only
      } else {
        name = this.readName(0x0f);
        value = this.readString();
      }
      listBytes += name.length + value.length + ENTRY_OVERHEAD_BYTES;
      if (listBytes <= maxListBytes && !this.hasFailed()) out.push(name, value);
      else if (listBytes > maxListBytes * BOMB_RATIO) return HPACK_LIST_BOMB;
    }
    if (this.hasFailed()) return this.failure;
    return listBytes > maxListBytes ? HPACK_LIST_TOO_LARGE : HPACK_OK;
  }

  /** Size updates at the front of the block; obligatory after our limit went below what the peer uses. */
  private readTableSizes(): void {
    while (this.at < this.end && (this.bytes[this.at]! & 0xe0) === 0x20) {
      const size = this.readInteger(0x1f);
      if (this.hasFailed()) return;
      if (size > this.limitBytes) {
        this.failure = HPACK_TABLE_SIZE;
        return;
      }
      this.table.resize(size);
    }
    if (this.table.maxBytes > this.limitBytes) this.failure = HPACK_TABLE_SIZE;
  }

  private readName(mask: number): string {
    const index = this.readInteger(mask);
    return index === 0 ? this.readString() : this.nameOf(index);
  }

  private nameOf(index: number): string {
    if (index <= STATIC_ENTRIES && index > 0) return STATIC_NAMES[index]!;
    const distance = index - STATIC_ENTRIES - 1;
    if (index === 0 || distance >= this.table.count) return this.fail(HPACK_INDEX);
    return this.table.nameAt(distance);
  }

  /** Follows `nameOf`, which has checked the index. */
  private valueOf(index: number): string {
    if (this.hasFailed()) return '';
    return index <= STATIC_ENTRIES ? STATIC_VALUES[index]! : this.table.valueAt(index - STATIC_ENTRIES - 1);
  }

  /** An integer whose first byte shares its high bits with something else. @source RFC 7541 §5.1. */
  private readInteger(mask: number): number {
    if (this.hasFailed()) return 0;
    if (this.at >= this.end) return this.failInteger(HPACK_TRUNCATED);
    let value = this.bytes[this.at++]! & mask;
    if (value < mask) return value;
    // Four continuation bytes hold 28 bits, all that MAX_INTEGER needs; longer forms only serve to waste our time.
    for (let shift = 0; shift < 28; shift += 7) {
      if (this.at >= this.end) return this.failInteger(HPACK_TRUNCATED);
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value <= MAX_INTEGER ? value : this.failInteger(HPACK_INTEGER);
    }
    return this.failInteger(HPACK_INTEGER);
  }

  private readString(): string {
    if (this.hasFailed()) return '';
    const isHuffman = this.at < this.end && this.bytes[this.at]! >= 0x80;
    const length = this.readInteger(0x7f);
    if (this.hasFailed()) return '';
    const start = this.at;
    if (length > this.end - start) return this.fail(HPACK_TRUNCATED);
    this.at = start + length;
    if (!isHuffman) return latin1(this.bytes, start, start + length);
    if (length * 2 > scratch.length) scratch = Buffer.allocUnsafeSlow(length * 2);
    const count = decodeHuffman(this.bytes, start, start + length, scratch);
    return count < 0 ? this.fail(HPACK_HUFFMAN) : scratch.toString('latin1', 0, count);
  }

  private hasFailed(): boolean {
    return this.failure !== HPACK_OK;
  }

  private failInteger(code: number): number {
    this.failure = code;
    return 0;
  }

  private fail(code: number): string {
    if (this.failure === HPACK_OK) this.failure = code;
    return '';
  }
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return bytes instanceof Buffer
    ? bytes.toString('latin1', start, end)
    : Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}
