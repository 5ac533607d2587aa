/** What the satellite should cost, held against what it did. */
import { EVERY_LOAD } from '../cases.js';
import type { CaseResult } from '../compare.js';
import type { RunResult } from '../measure.js';
import { costRatio, spreadOf } from './spread.js';

export interface Verdict {
  readonly title: string;
  readonly limit: number;
  /** Median of the runs. */
  readonly measured: number;
  readonly digits: number;
  readonly isMet: boolean;
}

type Limit = readonly [string, number | undefined, number, (run: RunResult) => number];

/** One verdict for each target that this case has and these runs can tell of. */
export function judge({ bench, runs }: CaseResult): readonly Verdict[] {
  const own = runs.filter((run) => run.middle === 'satellite');
  if (own.length === 0) return [];
  const { targets } = bench;
  const limits: Limit[] = [
    ['RSS MB', targets.residentMb, 0, (run) => run.residentBytes / 1e6],
    ['bytes out/in', targets.bytesOutPerByteIn, 2, (run) => run.bytesOutPerByteIn],
    ['KB a stream', targets.kilobytesPerStream, 1, (run) => run.bytesPerStream / 1e3],
  ];
  if (!bench.isIdle) {
    limits.push(
      ['p50 ms', EVERY_LOAD.p50Ms, 0, (run) => run.latencyP50Ms],
      ['p99 ms', EVERY_LOAD.p99Ms, 0, (run) => run.latencyP99Ms],
      ['max/mean of OAPs', EVERY_LOAD.maxOverMean, 2, (run) => run.maxOverMean],
      ['lost entries', EVERY_LOAD.lostEntries, 0, (run) => run.lostEntries],
    );
  }
  return [
    ...verdict('CPU × byte relay', targets.relayRatio, 2, costRatio(runs, 'satellite', 'relay')?.median),
    ...verdict('CPU × Envoy', targets.envoyRatio, 2, costRatio(runs, 'satellite', 'envoy')?.median),
    ...limits.flatMap(([title, limit, digits, read]) => verdict(title, limit, digits, spreadOf(own.map(read)).median)),
  ];
}

function verdict(title: string, limit: number | undefined, digits: number, measured: number | undefined): Verdict[] {
  if (limit === undefined || measured === undefined) return [];
  // As shown: a target of two digits is not missed by the third.
  return [{ title, limit, measured, digits, isMet: Number(measured.toFixed(digits)) <= limit }];
}
