/** What lies in a disk queue, as a table for people. */
import { SatelliteError } from '../base/index.js';
import type { Clock } from '../base/index.js';
import { DISK_QUEUE_ERRORS, inspectQueue } from '../plugins/queue/mmap-queue/index.js';
import type { PartitionReport } from '../plugins/queue/mmap-queue/index.js';

const COLUMNS = ['partition', 'data', 'files', 'bytes', 'events', 'entries', 'oldest', 'damaged regions'];

/** Reads the queues under `directory`, and touches nothing. @throws SAT_Q_DIRECTORY, SAT_Q_FOREIGN */
export function describeQueue(directory: string, clock: Clock): string {
  const reports = inspect(directory);
  const nowMs = clock.wallNow();
  const rows = [COLUMNS, ...reports.map((report) => rowOf(report, nowMs))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function inspect(directory: string): readonly PartitionReport[] {
  let reports: readonly PartitionReport[];
  try {
    reports = inspectQueue(directory);
  } catch (error) {
    throw SatelliteError.from(error, DISK_QUEUE_ERRORS.directory);
  }
  if (reports.length > 0) return reports;
  throw new SatelliteError(DISK_QUEUE_ERRORS.directory, `there is no disk queue in ${directory}`);
}

function rowOf(report: PartitionReport, nowMs: number): readonly string[] {
  const { directory, dataType, segments, bytes, pendingEvents, pendingEntries, oldestWallMs, damagedRegions } = report;
  const counts = [segments, bytes, pendingEvents, pendingEntries].map(String);
  const age = oldestWallMs === Infinity ? '-' : `${Math.max(0, Math.round((nowMs - oldestWallMs) / 1000))} s ago`;
  return [directory, dataType === '' ? '-' : dataType, ...counts, age, String(damagedRegions)];
}
