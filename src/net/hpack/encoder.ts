/**
 * HOT. Encodes header blocks. One instance per connection and direction; blocks must be sent in the order encoded.
 * @source RFC 7541 §2, §6, §7.1.3.
 */
import { DynamicTable, ENTRY_OVERHEAD_BYTES } from './dynamic-table.js';
import { encodeHuffman, huffmanLength } from './huffman.js';
import { findStaticField, findStaticName } from './static-table.js';

/** The protocol's first table size; we never use more of what a peer allows, for our fields are few and repeat. */
export const DEFAULT_TABLE_BYTES = 4096;

/** Secrets: sent so that no hop may put them into a table. `authentication` carries SkyWalking's agent token. */
const NEVER_INDEXED: ReadonlySet<string> = new Set([
  'authentication',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
]);

/** Values that are new in every call would only push useful entries out of the table. */
const NOT_WORTH_INDEXING: ReadonlySet<string> = new Set([
  'grpc-timeout',
  'grpc-message',
  'grpc-status-details-bin',
  'content-length',
  'date',
  'traceparent',
  'sw8',
]);

/** An entry above this share of the table would evict most others. */
const MAX_ENTRY_SHARE = 0.5;

// The block under construction; shared by all connections, grows to the largest block ever sent.
let block = Buffer.allocUnsafeSlow(1024);
let length = 0;

export class HpackEncoder {
  private readonly table = new DynamicTable(DEFAULT_TABLE_BYTES);
  /** The smallest size asked for since the last block, or -1: the peer must see both it and the final one. */
  private smallestPendingBytes = -1;
  private pendingBytes = -1;

  /** The peer's SETTINGS_HEADER_TABLE_SIZE; told to it at the front of the next block. */
  setTableLimit(limitBytes: number): void {
    const bytes = Math.min(limitBytes, DEFAULT_TABLE_BYTES);
    if (bytes === (this.pendingBytes < 0 ? this.table.maxBytes : this.pendingBytes)) return;
    this.pendingBytes = bytes;
    if (this.smallestPendingBytes < 0 || bytes < this.smallestPendingBytes) this.smallestPendingBytes = bytes;
  }

  /**
   * Encodes flat header fields into one block.
   * @ownership Returns a view of shared memory, valid until any encoder's next call.
   */
  encode(fields: readonly string[]): Uint8Array {
    length = 0;
    if (this.pendingBytes >= 0) this.encodeTableSizes();
    for (let index = 0; index + 1 < fields.length; index += 2) this.encodeField(fields[index]!, fields[index + 1]!);
    return block.subarray(0, length);
  }

  private encodeTableSizes(): void {
    if (this.smallestPendingBytes < this.pendingBytes) writeInteger(0x20, 0x1f, this.smallestPendingBytes);
    writeInteger(0x20, 0x1f, this.pendingBytes);
    this.table.resize(this.smallestPendingBytes);
    this.table.resize(this.pendingBytes);
    this.smallestPendingBytes = -1;
    this.pendingBytes = -1;
  }

  private encodeField(name: string, value: string): void {
    const staticName = findStaticName(name);
    if (NEVER_INDEXED.has(name)) {
      writeLiteral(0x10, 0x0f, staticName, name, value);
      return;
    }
    const staticField = findStaticField(staticName, name, value);
    if (staticField > 0) {
      writeInteger(0x80, 0x7f, staticField);
      return;
    }
    const found = this.table.find(name, value);
    if (found > 0) {
      writeInteger(0x80, 0x7f, found);
      return;
    }
    const nameIndex = staticName > 0 ? staticName : -found;
    const entryBytes = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    if (entryBytes > this.table.maxBytes * MAX_ENTRY_SHARE || NOT_WORTH_INDEXING.has(name)) {
      writeLiteral(0x00, 0x0f, nameIndex, name, value);
      return;
    }
    writeLiteral(0x40, 0x3f, nameIndex, name, value);
    this.table.add(name, value);
  }
}

function writeLiteral(prefix: number, mask: number, nameIndex: number, name: string, value: string): void {
  writeInteger(prefix, mask, nameIndex);
  if (nameIndex === 0) writeString(name);
  writeString(value);
}

function writeInteger(prefix: number, mask: number, value: number): void {
  reserve(6);
  if (value < mask) {
    block[length++] = prefix | value;
    return;
  }
  block[length++] = prefix | mask;
  let rest = value - mask;
  while (rest >= 0x80) {
    block[length++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  block[length++] = rest;
}

function writeString(text: string): void {
  const coded = huffmanLength(text);
  if (coded < text.length) {
    writeInteger(0x80, 0x7f, coded);
    reserve(coded);
    length = encodeHuffman(text, block, length);
  } else {
    writeInteger(0x00, 0x7f, text.length);
    reserve(text.length);
    length += block.write(text, length, 'latin1');
  }
}

function reserve(count: number): void {
  if (length + count <= block.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(block.length * 2, length + count));
  block.copy(grown, 0, 0, length);
  block = grown;
}
