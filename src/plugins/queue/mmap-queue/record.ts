/**
 * HOT. An event as a record on disk:
 *
 *     magic u32 | length of payload u32 | crc of payload u32
 *     payload:  number in its segment u32 | method u32 | key hash u32 | identity bytes u32 | messages u32
 *               | received, wall ms f64 | messages × (entries u32, length u32) | identity | messages
 */
import { crc32 } from 'node:zlib';
import { MAX_BLOCK_BYTES } from '../../../base/index.js';
import type { BlockPool } from '../../../base/index.js';
import type { DataType } from '../../../core/data-type.js';
import { Event, Identity } from '../../../core/event.js';
import type { MemoryBudget } from '../../../core/budget.js';
import type { EventCounts } from '../../../core/queue-totals.js';
import { SlicedMessage } from '../../../net/grpc/sliced-message.js';

export const RECORD_MAGIC = 0x4345_5253;
export const RECORD_MAGIC_BYTES = Buffer.from('SREC', 'latin1');
export const RECORD_HEADER_BYTES = 12;
const FIXED_BYTES = 28;
const MESSAGE_BYTES = 8;
/** No identity, which is not an empty one. */
const NO_IDENTITY = 0xffff_ffff;
export const MIN_PAYLOAD_BYTES = FIXED_BYTES;

/** What `event` takes on disk. */
export function recordBytes(event: Event): number {
  const identityBytes = event.identity === null ? 0 : event.identity.bytes.length;
  return RECORD_HEADER_BYTES + FIXED_BYTES + event.messages.length * MESSAGE_BYTES + identityBytes + event.bytes;
}

/** Writes `event` as record `index` into `target` at `start`; it takes `recordBytes(event)`. */
export function encodeRecord(
  event: Event,
  index: number,
  receivedWallMs: number,
  salt: number,
  target: Buffer,
  start: number,
): number {
  const { identity, messages } = event;
  const payloadStart = start + RECORD_HEADER_BYTES;
  let at = target.writeUInt32LE(index, payloadStart);
  at = target.writeUInt32LE(event.method, at);
  at = target.writeUInt32LE(event.keyHash >>> 0, at);
  at = target.writeUInt32LE(identity === null ? NO_IDENTITY : identity.bytes.length, at);
  at = target.writeUInt32LE(messages.length, at);
  at = target.writeDoubleLE(receivedWallMs, at);
  for (let message = 0; message < messages.length; message++) {
    at = target.writeUInt32LE(event.entryCounts[message]!, at);
    at = target.writeUInt32LE(messages[message]!.length, at);
  }
  if (identity !== null) {
    target.set(identity.bytes, at);
    at += identity.bytes.length;
  }
  for (let message = 0; message < messages.length; message++) {
    const { parts } = messages[message]!;
    for (let part = 0; part < parts.length; part++) {
      target.set(parts[part]!, at);
      at += parts[part]!.length;
    }
  }
  target.writeUInt32LE(RECORD_MAGIC, start);
  target.writeUInt32LE(at - payloadStart, start + 4);
  target.writeUInt32LE(crc32(target.subarray(payloadStart, at), salt), start + 8);
  return at;
}

/** The number of a record in its segment. */
export function readIndex(payload: Buffer): number {
  return payload.readUInt32LE(0);
}

export function readReceivedWallMs(payload: Buffer): number {
  return payload.readDoubleLE(20);
}

/**
 * The event of a payload whose checksum is right; null when its lengths do not add up.
 * @ownership the event's bytes are copies, in blocks of `blocks`; its identity is that of `previous` when they are equal.
 * @order the budget is charged for a new identity here, for the messages by the caller.
 */
export function decodeRecord(
  payload: Buffer,
  dataType: DataType,
  receivedMs: number,
  previous: Identity | null,
  budget: MemoryBudget,
  blocks: BlockPool,
): Event | null {
  const identityBytes = payload.readUInt32LE(12);
  const count = payload.readUInt32LE(16);
  const hasIdentity = identityBytes !== NO_IDENTITY;
  let at = FIXED_BYTES + count * MESSAGE_BYTES + (hasIdentity ? identityBytes : 0);
  if (at > payload.length) return null;
  let identity: Identity | null = null;
  if (hasIdentity) identity = takeIdentity(payload.subarray(at - identityBytes, at), previous, budget);
  const event = new Event(dataType, payload.readUInt32LE(4), identity, payload.readUInt32LE(8), receivedMs);
  event.storeIndex = readIndex(payload);
  for (let message = 0, table = FIXED_BYTES; message < count; message++, table += MESSAGE_BYTES) {
    const length = payload.readUInt32LE(table + 4);
    const end = at + length;
    if (end > payload.length) break;
    event.add(keep(payload.subarray(at, end), blocks), payload.readUInt32LE(table));
    at = end;
  }
  if (at === payload.length && event.messages.length === count) return event;
  event.releaseMessages();
  identity?.release();
  return null;
}

function keep(bytes: Buffer, blocks: BlockPool): SlicedMessage {
  const { length } = bytes;
  if (length === 0) return new SlicedMessage([], 0, 0);
  if (length > MAX_BLOCK_BYTES || blocks.isStrewn) {
    const owned = Buffer.allocUnsafeSlow(length);
    owned.set(bytes);
    return new SlicedMessage([owned], length, length);
  }
  const slab = blocks.take(length);
  const { start } = blocks;
  slab.bytes.set(bytes, start);
  return new SlicedMessage(null, length, length).own(slab, start, length);
}

function takeIdentity(bytes: Buffer, previous: Identity | null, budget: MemoryBudget): Identity {
  if (previous !== null && bytes.equals(previous.bytes)) return previous.retain();
  budget.reserve(bytes.length);
  const owned = Buffer.allocUnsafeSlow(bytes.length);
  owned.set(bytes);
  return new Identity(owned, budget);
}

/** What a payload's event counts for; null as `decodeRecord`. */
export function countRecord(payload: Buffer): EventCounts | null {
  const identityField = payload.readUInt32LE(12);
  const identityBytes = identityField === NO_IDENTITY ? 0 : identityField;
  const messages = payload.readUInt32LE(16);
  const start = FIXED_BYTES + messages * MESSAGE_BYTES + identityBytes;
  if (start > payload.length) return null;
  let entries = 0;
  let bytes = 0;
  for (let message = 0, table = FIXED_BYTES; message < messages; message++, table += MESSAGE_BYTES) {
    entries += payload.readUInt32LE(table);
    bytes += payload.readUInt32LE(table + 4);
  }
  return start + bytes === payload.length ? { messages, entries, bytes, identityBytes } : null;
}
