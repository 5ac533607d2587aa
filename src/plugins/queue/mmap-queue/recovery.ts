/**
 * Finds out what a directory holds, at start: sealed segments by their last bytes, others by a scan. Nothing is read that
 * a seal tells. Also for onlookers: then nothing is repaired.
 */
import { join } from 'node:path';
import { SatelliteError } from '../../../base/index.js';
import type { QueueTotals } from '../../../core/queue-totals.js';
import { DISK_QUEUE_ERRORS } from './errors.js';
import { codeOf } from './fs.js';
import type { QueueFiles } from './fs.js';
import {
  HEADER_BYTES,
  SEAL_BYTES,
  SEGMENT_MAGIC_PREFIX,
  isOriginalFile,
  parseFileName,
  segmentName,
  settledName,
} from './layout.js';
import { countRecord, readIndex, readReceivedWallMs } from './record.js';
import { RecordScanner } from './scanner.js';
import { decodeHeader, decodeSeal, decodeSettled, encodeSeal } from './segment-format.js';
import { Segment } from './segment.js';
import { SettledSet } from './settled-set.js';

/** What is told of a directory beside its segments. */
export interface RecoveryNotes {
  /** A segment file whose header is damaged: it is left alone. */
  onDamagedFile(path: string): void;
  /** Bytes after the last record of a segment that a crash left open. */
  onTornTail(path: string, bytes: number): void;
}

export interface Recovered {
  /** Those that hold something, oldest first. */
  readonly segments: readonly Segment[];
  /** The highest id in use, 0 for none. */
  readonly lastId: number;
}

export interface RecoveryParts {
  readonly files: QueueFiles;
  /** Null: of any. */
  readonly dataType: string | null;
  /** Cut torn tails, complete segments, and delete what is settled. */
  readonly repairs: boolean;
  readonly notes: RecoveryNotes;
}

/** @throws SAT_Q_FOREIGN, and what the file system throws. */
export function recoverDirectory(directory: string, parts: RecoveryParts): Recovered {
  const { files } = parts;
  const segments: Segment[] = [];
  const settledIds = new Set<number>();
  let lastId = 0;
  const ids: number[] = [];
  for (const { name } of files.list(directory) ?? []) {
    const parsed = parseFileName(name);
    if (parsed === null) throw foreign(directory, name);
    if (parsed.isSegment) ids.push(parsed.id);
    else settledIds.add(parsed.id);
    if (parsed.id > lastId) lastId = parsed.id;
  }
  ids.sort((a, b) => a - b);
  for (const id of ids) {
    const segment = recoverSegment(directory, id, settledIds.has(id), parts);
    settledIds.delete(id);
    if (segment !== null) segments.push(segment);
  }
  // Left when a crash came between the deletions of a segment and of its settled file.
  if (parts.repairs) for (const id of settledIds) files.remove(join(directory, settledName(id)));
  return { segments, lastId };
}

/** The error for a file that is not ours. */
export function foreign(directory: string, name: string): SatelliteError {
  const what = isOriginalFile(name)
    ? 'is a file of the queue of the original Satellite, which cannot be read here'
    : 'is not a file of a disk queue';
  return new SatelliteError(DISK_QUEUE_ERRORS.foreign, `${join(directory, name)} ${what}`);
}

function recoverSegment(directory: string, id: number, hasSettled: boolean, parts: RecoveryParts): Segment | null {
  const { files } = parts;
  const path = join(directory, segmentName(id));
  const settledPath = join(directory, settledName(id));
  const file = tryOpen(files, path, parts.repairs ? 'write' : 'read');
  if (file < 0) return null;
  let segment: Segment | null;
  try {
    segment = readSegment(file, path, settledPath, hasSettled, parts);
  } finally {
    files.close(file);
  }
  if (segment === null || segment.held.events > 0) return segment;
  if (parts.repairs) {
    files.remove(path);
    files.remove(settledPath);
  }
  return null;
}

/** -1: it went away while we looked. */
function tryOpen(files: QueueFiles, path: string, mode: 'read' | 'write'): number {
  try {
    return files.open(path, mode);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return -1;
    throw error;
  }
}

/** Null: damaged, to be left alone. */
function readSegment(
  file: number,
  path: string,
  settledPath: string,
  hasSettled: boolean,
  parts: RecoveryParts,
): Segment | null {
  const { files } = parts;
  const size = files.size(file);
  const head = readAt(files, file, 0, Math.min(HEADER_BYTES, size));
  const header = decodeHeader(head);
  if (header === null) {
    refuseOtherVersion(head, path);
    if (size > HEADER_BYTES) parts.notes.onDamagedFile(path);
    // Else a crash in its first write: no record can be in it.
    return size > HEADER_BYTES ? null : new Segment(NO_HEADER, path, settledPath);
  }
  if (parts.dataType !== null && header.dataType !== parts.dataType) {
    const message = `${path} holds data of type ${header.dataType}, and the pipe carries ${parts.dataType}`;
    throw new SatelliteError(DISK_QUEUE_ERRORS.foreign, message);
  }
  const settledBytes = hasSettled ? files.readWhole(settledPath) : null;
  const settled = settledBytes === null ? null : decodeSettled(settledBytes, header.salt);
  const segment = new Segment(header, path, settledPath, settled ?? new SettledSet());
  segment.hasSettledFile = hasSettled;
  segment.fileBytes = size;
  const seal = size < HEADER_BYTES + SEAL_BYTES ? null : readSeal(files, file, header.salt, size);
  if (seal === null) {
    scanSegment(segment, file, size, parts);
  } else {
    segment.dataEnd = seal.dataEnd;
    segment.records = seal.records;
    segment.oldestWallMs = seal.oldestWallMs;
    segment.newestWallMs = seal.newestWallMs;
    segment.totals.add(seal.totals);
    segment.held.add(seal.totals);
    segment.held.subtract(segment.settled.totals);
    segment.isSealed = true;
  }
  segment.unread.add(segment.held);
  return segment;
}

const NO_HEADER = { id: 0, createdWallMs: 0, salt: 0, dataType: '' };

function refuseOtherVersion(head: Buffer, path: string): void {
  const magic = head.toString('latin1', 0, SEGMENT_MAGIC_PREFIX.length + 1);
  if (!magic.startsWith(SEGMENT_MAGIC_PREFIX) || !/[2-9]$/.test(magic)) return;
  throw new SatelliteError(DISK_QUEUE_ERRORS.foreign, `${path} was written by a later version of Satellite`);
}

function readSeal(files: QueueFiles, file: number, salt: number, size: number): ReturnType<typeof decodeSeal> {
  return decodeSeal(readAt(files, file, size - SEAL_BYTES, SEAL_BYTES), salt, size);
}

/** Counts what a segment holds that has no seal, and gives it one. */
function scanSegment(segment: Segment, file: number, size: number, parts: RecoveryParts): void {
  const { files } = parts;
  const source = { read: (target: Buffer, position: number) => files.read(file, target, position) };
  const scanner = new RecordScanner(source, HEADER_BYTES, size, segment.header.salt);
  for (let payload = scanner.next(); payload !== null; payload = scanner.next()) {
    const counts = countRecord(payload);
    if (counts === null) continue;
    const index = readIndex(payload);
    const receivedWallMs = readReceivedWallMs(payload);
    segment.records = Math.max(segment.records, index + 1);
    segment.oldestWallMs = Math.min(segment.oldestWallMs, receivedWallMs);
    segment.newestWallMs = Math.max(segment.newestWallMs, receivedWallMs);
    segment.totals.addCounts(counts);
    if (!segment.settled.has(index)) segment.held.addCounts(counts);
  }
  segment.dataEnd = scanner.goodEnd;
  segment.isUnsynced = true;
  if (size > scanner.goodEnd) parts.notes.onTornTail(segment.path, size - scanner.goodEnd);
  // What was settled and never written must not be counted against what is there.
  subtractHeld(segment.settled.totals, segment.totals, segment.held);
  if (parts.repairs && segment.held.events > 0) trySeal(segment, file, files);
}

function subtractHeld(settled: QueueTotals, totals: QueueTotals, held: QueueTotals): void {
  settled.clear();
  settled.add(totals);
  settled.subtract(held);
}

/** Without space the segment stays as it is, and is scanned again at the next start. */
function trySeal(segment: Segment, file: number, files: QueueFiles): void {
  segment.isSealed = true;
  try {
    files.write(file, encodeSeal(segment, segment.header.salt), segment.dataEnd);
    segment.fileBytes = segment.dataEnd + SEAL_BYTES;
    files.truncate(file, segment.fileBytes);
  } catch (error) {
    if (codeOf(error) === '') throw error;
  }
}

function readAt(files: QueueFiles, file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, files.read(file, bytes, position));
}
