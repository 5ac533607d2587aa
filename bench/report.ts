/** Results as people and programs read them. */
import type { BenchCase } from './cases.js';
import type { RunResult } from './measure.js';
import type { MiddleName } from './middles.js';

/** All runs of one middle in one case. */
export interface CaseResult {
  readonly bench: BenchCase;
  readonly runs: readonly RunResult[];
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  return { median, low: sorted[0] ?? 0, high: sorted[sorted.length - 1] ?? 0 };
}

const COLUMNS: readonly (readonly [string, (run: RunResult) => number, number])[] = [
  ['CPU µs/message', (run) => run.cpuMicrosPerMessage, 1],
  ['RSS MB', (run) => run.residentBytes / 1e6, 0],
  ['peak RSS MB', (run) => run.peakResidentBytes / 1e6, 0],
  ['messages/s', (run) => run.messagesPerSecond, 0],
  ['p50 ms', (run) => run.latencyP50Ms, 0],
  ['p99 ms', (run) => run.latencyP99Ms, 0],
  ['max/mean', (run) => run.maxOverMean, 3],
  ['bytes out/in', (run) => run.bytesOutPerByteIn, 3],
  ['lost entries', (run) => run.lostEntries, 0],
  ['shed entries', (run) => run.shedEntries, 0],
  ['fleet µs', (run) => run.fleetMicrosPerMessage, 1],
  ['OAP µs', (run) => run.oapMicrosPerMessage, 1],
];

/** One table per case: the median of each figure, with the spread of the first. */
export function toMarkdown(results: readonly CaseResult[], head: string): string {
  return `${[head, ...results.map(caseTable)].join('\n\n')}\n`;
}

function caseTable({ bench, runs }: CaseResult): string {
  const names = [...new Set(runs.map((run) => run.middle))];
  const columns = bench.isIdle
    ? [...COLUMNS.slice(1, 3), ['bytes/stream', (run: RunResult) => run.bytesPerStream, 0] as const]
    : COLUMNS;
  const rows = names.map((name) => {
    const own = runs.filter((run) => run.middle === name);
    const cells = columns.map(([, read, digits], index) => {
      const spread = spreadOf(own.map(read));
      const text = spread.median.toFixed(digits);
      return index > 0 || own.length < 2
        ? text
        : `${text} (${spread.low.toFixed(digits)}–${spread.high.toFixed(digits)})`;
    });
    const ratio = bench.isIdle ? [] : [relayRatio(runs, name)];
    return `| ${[name, ...ratio, ...cells].join(' | ')} |`;
  });
  const titles = ['middle', ...(bench.isIdle ? [] : ['× relay']), ...columns.map(([title]) => title)];
  return [
    `## Case ${bench.number}: ${bench.title}`,
    '',
    `| ${titles.join(' | ')} |`,
    `|${' --- |'.repeat(titles.length)}`,
    ...rows,
  ].join('\n');
}

/** Median of the ratios of neighbouring runs: what disturbs the machine disturbs both. */
function relayRatio(runs: readonly RunResult[], name: MiddleName): string {
  const own = runs.filter((run) => run.middle === name);
  const relay = runs.filter((run) => run.middle === 'relay');
  if (relay.length !== own.length || name === 'relay') return '';
  const ratios = own.map((run, index) => run.cpuMicrosPerMessage / (relay[index]?.cpuMicrosPerMessage ?? 1));
  const { median, low, high } = spreadOf(ratios);
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
