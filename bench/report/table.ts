/** The page of the published table: a line for each contender of a row. */
import type { CaseResult } from '../compare.js';
import type { RunResult } from '../measure.js';
import { provenance } from './cases.js';
import { markdownTable, type Column } from './columns.js';
import { costRatio, formatSpread, spreadOf } from './spread.js';

/** Below it the machine has not made the load, and the line says so. */
const FULL_RATE_RATIO = 0.98;

const COLUMNS: readonly Column[] = [
  { title: 'cores', digits: 2, read: (run) => run.cpuRatio },
  { title: 'µs/entry', digits: 2, read: (run) => run.cpuMicrosPerEntry },
  { title: 'µs/message', digits: 1, read: (run) => run.cpuMicrosPerMessage },
  { title: 'RSS MB', digits: 0, read: (run) => run.residentBytes / 1e6 },
  { title: 'max/mean', digits: 3, read: (run) => run.maxOverMean },
  { title: 'p50 ms', digits: 0, read: (run) => run.latencyP50Ms },
  { title: 'p99 ms', digits: 0, read: (run) => run.latencyP99Ms },
  { title: 'lost entries', digits: 0, read: (run) => run.lostEntries },
  { title: 'shed entries', digits: 0, read: (run) => run.shedEntries },
  { title: 'bytes out/in', digits: 3, read: (run) => run.bytesOutPerByteIn },
  { title: 'messages/s', digits: 0, read: (run) => run.messagesPerSecond },
  { title: 'fleet cores', digits: 2, read: (run) => run.fleetCpuRatio },
  { title: 'OAP cores', digits: 2, read: (run) => run.oapCpuRatio },
];

export function tablePage(results: readonly CaseResult[]): string {
  const titles = ['row', 'load', 'published cores', 'middle', 'rate reached', '× relay'];
  const lines = results.flatMap((result) => {
    const names = [...new Set(result.runs.map((run) => run.middle))];
    return names.map((name) => line(result, name));
  });
  return `${[
    '# The published table',
    'Published cores are those of the original on the machines of its page; all else is measured here. The fleet and the ' +
      'OAPs share the cores with the middle: where they could not make the rate, the reached one stands in bold.',
    markdownTable([...titles, ...COLUMNS.map(({ title }) => title)], lines),
    [...new Set(results.map(provenance))].join('\n'),
  ].join('\n\n')}\n`;
}

function line(result: CaseResult, name: string): string[] {
  const { bench } = result;
  const own = result.runs.filter((run) => run.middle === name);
  const ratio = costRatio(result.runs, name, 'relay');
  return [
    `${bench.number}`,
    bench.title,
    `${bench.publishedCores ?? ''}`,
    name,
    rate(own),
    ratio === null ? '' : formatSpread(ratio, 2),
    ...COLUMNS.map(({ digits, read }) => formatSpread(spreadOf(own.map(read)), digits)),
  ];
}

function rate(runs: readonly RunResult[]): string {
  const { median } = spreadOf(runs.map((run) => run.entriesPerSecond / run.wantedEntriesPerSecond));
  const text = `${(median * 100).toFixed(0)} %`;
  return median < FULL_RATE_RATIO ? `**${text}**` : text;
}
