/** What the bench concludes from runs made by hand. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BenchCase } from '../../../bench/cases.js';
import type { CaseResult } from '../../../bench/compare.js';
import type { RunResult } from '../../../bench/measure.js';
import { runTable } from '../../../bench/report/columns.js';
import { costRatio, formatSpread, spreadOf } from '../../../bench/report/spread.js';
import { tablePage } from '../../../bench/report/table.js';
import { judge } from '../../../bench/report/targets.js';

const BENCH: BenchCase = {
  number: 1,
  title: 'by hand',
  fleet: {},
  isIdle: false,
  targets: { relayRatio: 1.2, residentMb: 140 },
};

function run(middle: string, cpuMicrosPerMessage: number, residentMb = 100): RunResult {
  return {
    middle,
    cpuMicrosPerMessage,
    cpuMicrosPerEntry: 0,
    cpuRatio: 0,
    residentBytes: residentMb * 1e6,
    peakResidentBytes: residentMb * 1e6,
    messagesPerSecond: 1,
    wantedMessagesPerSecond: 1,
    entriesPerSecond: 1,
    wantedEntriesPerSecond: 1,
    latencyP50Ms: 100,
    latencyP99Ms: 200,
    maxOverMean: 1,
    bytesOutPerByteIn: 1,
    lostEntries: 0,
    shedEntries: 0,
    fleetMicrosPerMessage: 1,
    oapMicrosPerMessage: 1,
    fleetCpuRatio: 0,
    oapCpuRatio: 0,
    bytesPerStream: 0,
  };
}

function result(runs: readonly RunResult[]): CaseResult {
  return { bench: BENCH, runs, machine: 'a machine', date: '2026-01-01', seconds: 1, oaps: 2 };
}

describe('the spread of several runs', () => {
  test('has the middle one of an odd number, and the mean of the middle two of an even one', () => {
    assert.deepEqual(spreadOf([3, 1, 2]), { median: 2, low: 1, high: 3 });
    assert.deepEqual(spreadOf([4, 1, 2, 3]), { median: 2.5, low: 1, high: 4 });
  });

  test('is shown only where runs differ', () => {
    assert.equal(formatSpread({ median: 2, low: 1, high: 3 }, 1), '2.0 (1.0–3.0)');
    assert.equal(formatSpread({ median: 2, low: 1.99, high: 2.01 }, 1), '2.0');
  });
});

describe('a ratio of costs', () => {
  test('is taken between runs of the same round', () => {
    const runs = [run('relay', 10), run('satellite', 20), run('relay', 100), run('satellite', 110)];
    assert.deepEqual(costRatio(runs, 'satellite', 'relay'), { median: 1.55, low: 1.1, high: 2 });
  });

  test('is not made up where one of the two was not measured', () => {
    assert.equal(costRatio([run('satellite', 20)], 'satellite', 'relay'), null);
  });
});

describe('targets', () => {
  test('are met or missed by the median', () => {
    const runs = [run('relay', 10), run('satellite', 12, 150), run('relay', 10), run('satellite', 12, 141)];
    const verdicts = judge(result(runs));
    const byTitle = new Map(verdicts.map((verdict) => [verdict.title, verdict.isMet]));
    assert.equal(byTitle.get('CPU × byte relay'), true);
    assert.equal(byTitle.get('RSS MB'), false);
    assert.equal(byTitle.get('lost entries'), true);
  });

  test('say nothing of what was not measured', () => {
    assert.deepEqual(judge(result([run('relay', 10)])), []);
    const titles = judge(result([run('satellite', 10)])).map((verdict) => verdict.title);
    assert.ok(!titles.includes('CPU × byte relay'));
  });
});

test('a table of runs has a row for each contender, with its ratio to the basis', () => {
  const rows = runTable(result([run('relay', 10), run('satellite', 12)]), 'relay').split('\n');
  assert.equal(rows.length, 4);
  assert.match(rows[3]!, /^\| satellite \| 1\.20 \| 12\.0 \| 100 \|/);
});

test('a row of the table says when the machine could not make its rate', () => {
  const reached = { ...run('relay', 10), entriesPerSecond: 970, wantedEntriesPerSecond: 1000 };
  assert.match(tablePage([result([reached])]), /\| \*\*97 %\*\* \|/);
  assert.match(tablePage([result([run('relay', 10)])]), /\| 100 % \|/);
});
