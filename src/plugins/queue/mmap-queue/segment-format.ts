/** Header, seal and settled file of a segment: bytes to values and back. Shapes: layout.ts. */
import { crc32 } from 'node:zlib';
import { QueueTotals } from '../../../core/queue-totals.js';
import { HEADER_BYTES, SEAL_BYTES, SEAL_MAGIC, SEGMENT_MAGIC, SETTLED_MAGIC } from './layout.js';
import { SettledSet } from './settled-set.js';

const CRC_BYTES = 4;
const DATA_TYPE_AT = 28;
const SETTLED_FIXED_BYTES = 64;
const SETTLED_CRC_AT = SETTLED_FIXED_BYTES - CRC_BYTES;

export interface SegmentHeader {
  readonly id: number;
  readonly createdWallMs: number;
  readonly salt: number;
  readonly dataType: string;
}

export interface Seal {
  /** Where the records end and the seal stands. */
  readonly dataEnd: number;
  readonly records: number;
  readonly totals: QueueTotals;
  readonly oldestWallMs: number;
  readonly newestWallMs: number;
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  SEGMENT_MAGIC.copy(bytes);
  bytes.writeDoubleLE(header.id, 8);
  bytes.writeDoubleLE(header.createdWallMs, 16);
  bytes.writeUInt32LE(header.salt, 24);
  bytes.write(header.dataType, DATA_TYPE_AT, 'latin1');
  return signed(bytes);
}

/** Null when `bytes` is no header of this version. */
export function decodeHeader(bytes: Buffer): SegmentHeader | null {
  if (bytes.length < HEADER_BYTES || !startsWith(bytes, SEGMENT_MAGIC) || !isSigned(bytes)) return null;
  const name = bytes.toString('latin1', DATA_TYPE_AT, HEADER_BYTES - CRC_BYTES);
  return {
    id: bytes.readDoubleLE(8),
    createdWallMs: bytes.readDoubleLE(16),
    salt: bytes.readUInt32LE(24),
    dataType: name.slice(0, name.indexOf('\0')),
  };
}

export function encodeSeal(seal: Seal, salt: number): Buffer {
  const bytes = Buffer.alloc(SEAL_BYTES);
  SEAL_MAGIC.copy(bytes);
  bytes.writeDoubleLE(seal.dataEnd, 8);
  bytes.writeDoubleLE(seal.records, 16);
  writeTotals(bytes, 24, seal.totals);
  bytes.writeDoubleLE(seal.oldestWallMs, 64);
  bytes.writeDoubleLE(seal.newestWallMs, 72);
  bytes.writeUInt32LE(salt, 80);
  return signed(bytes);
}

/** Null when `bytes` is not the seal of the segment with this salt, at the end of a file of `fileBytes`. */
export function decodeSeal(bytes: Buffer, salt: number, fileBytes: number): Seal | null {
  if (bytes.length < SEAL_BYTES || !startsWith(bytes, SEAL_MAGIC) || !isSigned(bytes)) return null;
  const dataEnd = bytes.readDoubleLE(8);
  if (bytes.readUInt32LE(80) !== salt || dataEnd !== fileBytes - SEAL_BYTES) return null;
  return {
    dataEnd,
    records: bytes.readDoubleLE(16),
    totals: readTotals(bytes, 24),
    oldestWallMs: bytes.readDoubleLE(64),
    newestWallMs: bytes.readDoubleLE(72),
  };
}

export function encodeSettled(settled: SettledSet, salt: number): Buffer {
  const bytes = Buffer.alloc(SETTLED_FIXED_BYTES + 4 * settled.above.size);
  SETTLED_MAGIC.copy(bytes);
  bytes.writeUInt32LE(salt, 8);
  bytes.writeUInt32LE(settled.above.size, 12);
  bytes.writeUInt32LE(settled.below, 16);
  writeTotals(bytes, 20, settled.totals);
  let at = SETTLED_FIXED_BYTES;
  for (const index of settled.above) at = bytes.writeUInt32LE(index, at);
  bytes.writeUInt32LE(crcOfSettled(bytes), SETTLED_CRC_AT);
  return bytes;
}

/** Null when `bytes` is not the settled file of the segment with this salt. */
export function decodeSettled(bytes: Buffer, salt: number): SettledSet | null {
  if (bytes.length < SETTLED_FIXED_BYTES || !startsWith(bytes, SETTLED_MAGIC)) return null;
  if (bytes.length !== SETTLED_FIXED_BYTES + 4 * bytes.readUInt32LE(12)) return null;
  if (bytes.readUInt32LE(8) !== salt || crcOfSettled(bytes) !== bytes.readUInt32LE(SETTLED_CRC_AT)) return null;
  const settled = new SettledSet();
  settled.below = bytes.readUInt32LE(16);
  settled.totals.add(readTotals(bytes, 20));
  for (let at = SETTLED_FIXED_BYTES; at < bytes.length; at += 4) settled.above.add(bytes.readUInt32LE(at));
  return settled;
}

function crcOfSettled(bytes: Buffer): number {
  return crc32(bytes.subarray(SETTLED_FIXED_BYTES), crc32(bytes.subarray(0, SETTLED_CRC_AT)));
}

function writeTotals(bytes: Buffer, at: number, totals: QueueTotals): void {
  const { events, messages, entries, bytes: payload, wireBytes } = totals;
  for (const value of [events, messages, entries, payload, wireBytes]) at = bytes.writeDoubleLE(value, at);
}

function readTotals(bytes: Buffer, at: number): QueueTotals {
  const totals = new QueueTotals();
  totals.events = bytes.readDoubleLE(at);
  totals.messages = bytes.readDoubleLE(at + 8);
  totals.entries = bytes.readDoubleLE(at + 16);
  totals.bytes = bytes.readDoubleLE(at + 24);
  totals.wireBytes = bytes.readDoubleLE(at + 32);
  return totals;
}

function signed(bytes: Buffer): Buffer {
  const end = bytes.length - CRC_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

function isSigned(bytes: Buffer): boolean {
  const end = bytes.length - CRC_BYTES;
  return crc32(bytes.subarray(0, end)) === bytes.readUInt32LE(end);
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.compare(magic, 0, magic.length, 0, magic.length) === 0;
}
