/** Tables of runs: a row for each contender of a case, a column for each figure, median and range of the runs. */
import type { CaseResult } from '../compare.js';
import type { RunResult } from '../measure.js';
import { costRatio, formatSpread, spreadOf } from './spread.js';

export interface Column {
  readonly title: string;
  readonly digits: number;
  readonly read: (run: RunResult) => number;
}

function column(title: string, digits: number, read: (run: RunResult) => number): Column {
  return { title, digits, read };
}

const RESIDENT = column('RSS MB', 0, (run) => run.residentBytes / 1e6);
const PEAK_RESIDENT = column('peak RSS MB', 0, (run) => run.peakResidentBytes / 1e6);

export const LOAD_COLUMNS: readonly Column[] = [
  column('CPU µs/message', 1, (run) => run.cpuMicrosPerMessage),
  RESIDENT,
  PEAK_RESIDENT,
  column('messages/s', 0, (run) => run.messagesPerSecond),
  column('p50 ms', 0, (run) => run.latencyP50Ms),
  column('p99 ms', 0, (run) => run.latencyP99Ms),
  column('max/mean', 3, (run) => run.maxOverMean),
  column('bytes out/in', 3, (run) => run.bytesOutPerByteIn),
  column('lost entries', 0, (run) => run.lostEntries),
  column('shed entries', 0, (run) => run.shedEntries),
  column('fleet µs', 1, (run) => run.fleetMicrosPerMessage),
  column('OAP µs', 1, (run) => run.oapMicrosPerMessage),
];

export const IDLE_COLUMNS: readonly Column[] = [
  RESIDENT,
  PEAK_RESIDENT,
  column('bytes/stream', 0, (run) => run.bytesPerStream),
];

/** @param basis whose cost the others are set against */
export function runTable({ bench, runs }: CaseResult, basis: string): string {
  const columns = bench.isIdle ? IDLE_COLUMNS : LOAD_COLUMNS;
  const names = [...new Set(runs.map((run) => run.middle))];
  const hasBasis = !bench.isIdle && names.includes(basis);
  const rows = names.map((name) => {
    const own = runs.filter((run) => run.middle === name);
    const ratio = costRatio(runs, name, basis);
    return [
      name,
      ...(hasBasis ? [ratio === null ? '' : formatSpread(ratio, 2)] : []),
      ...columns.map(({ read, digits }) => formatSpread(spreadOf(own.map(read)), digits)),
    ];
  });
  return markdownTable(['middle', ...(hasBasis ? [`× ${basis}`] : []), ...columns.map(({ title }) => title)], rows);
}

export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), `|${' --- |'.repeat(titles.length)}`, ...rows.map(line)].join('\n');
}
