/** Looks at a queue's files without touching them, also while a satellite uses them. */
import { join } from 'node:path';
import { codeOf, nodeFiles } from './fs.js';
import type { QueueFiles } from './fs.js';
import { HEADER_BYTES, LOCK_FILE, partitionOf } from './layout.js';
import { recoverDirectory } from './recovery.js';
import { RecordScanner } from './scanner.js';
import type { Segment } from './segment.js';

export interface PartitionReport {
  /** Path of its directory. */
  readonly directory: string;
  readonly segments: number;
  readonly bytes: number;
  readonly pendingEvents: number;
  readonly pendingEntries: number;
  /** Wall time at which the oldest event of a segment with pending events was received; Infinity when there is none. */
  readonly oldestWallMs: number;
  readonly dataType: string;
  readonly damagedRegions: number;
}

/**
 * One report for each partition under `directory`, which may be that of a pipe or hold several of them; none when there is
 * no queue. Reads every record. @throws SAT_Q_FOREIGN, and what the file system throws.
 */
export function inspectQueue(directory: string, files: QueueFiles = nodeFiles): readonly PartitionReport[] {
  const reports: PartitionReport[] = [];
  for (const { name, isDirectory } of files.list(directory) ?? []) {
    if (!isDirectory) continue;
    const path = join(directory, name);
    if (partitionOf(name) >= 0) reports.push(inspectPartition(path, files));
    else if (isPipe(path, files)) reports.push(...inspectQueue(path, files));
  }
  return reports;
}

function isPipe(directory: string, files: QueueFiles): boolean {
  const entries = files.list(directory) ?? [];
  return entries.some(({ name, isDirectory }) => (isDirectory ? partitionOf(name) >= 0 : name === LOCK_FILE));
}

function inspectPartition(directory: string, files: QueueFiles): PartitionReport {
  let damagedRegions = 0;
  const notes = { onDamagedFile: () => damagedRegions++, onTornTail: () => undefined };
  const { segments } = recoverDirectory(directory, { files, dataType: null, repairs: false, notes });
  let bytes = 0;
  let pendingEvents = 0;
  let pendingEntries = 0;
  let oldestWallMs = Infinity;
  for (const segment of segments) {
    bytes += segment.fileBytes;
    pendingEvents += segment.held.events;
    pendingEntries += segment.held.entries;
    if (segment.oldestWallMs < oldestWallMs) oldestWallMs = segment.oldestWallMs;
    damagedRegions += countDamage(segment, files);
  }
  const dataType = segments[0]?.header.dataType ?? '';
  return {
    directory,
    segments: segments.length,
    bytes,
    pendingEvents,
    pendingEntries,
    oldestWallMs,
    dataType,
    damagedRegions,
  };
}

function countDamage(segment: Segment, files: QueueFiles): number {
  let file = -1;
  try {
    file = files.open(segment.path, 'read');
    const opened = file;
    const source = { read: (target: Buffer, position: number) => files.read(opened, target, position) };
    const scanner = new RecordScanner(source, HEADER_BYTES, segment.dataEnd, segment.header.salt);
    for (let payload = scanner.next(); payload !== null; payload = scanner.next());
    return scanner.damagedRegions;
  } catch (error) {
    // Delivered and deleted while we looked.
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  } finally {
    if (file >= 0) files.close(file);
  }
}
