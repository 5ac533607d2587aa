/** What is told of growth, and of counters that moved. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gains } from '../../../bench/counter-page.js';
import { slopeOf } from '../../../bench/long-run.js';
import { longPage } from '../../../bench/report/long-run.js';

test('the slope is that of the straight line nearest to all points', () => {
  assert.equal(
    slopeOf([
      [0, 10],
      [1, 12],
      [2, 14],
    ]),
    2,
  );
  assert.equal(
    slopeOf([
      [0, 1],
      [1, 3],
      [2, 1],
      [3, 3],
    ]),
    0.4,
  );
  assert.equal(slopeOf([[5, 1]]), 0);
});

test('a long run is judged by what came behind its warm-up', () => {
  const residentMb = [10, 90, 100, 101, 102];
  const samples = residentMb.map((mb, index) => ({
    seconds: 60 * index,
    residentBytes: mb * 1e6,
    heapUsedBytes: 0,
    externalBytes: 0,
    handles: 7,
    cpuRatio: 0.5,
    entries: 1000 * 60 * index,
  }));
  const page = longPage({
    title: 'by hand',
    samples,
    steadyFrom: 2,
    lostEntries: 0,
    shedEntries: 0,
    machine: 'a machine',
    date: '2026-01-01',
  });
  assert.match(page, /\| RSS MB \| 1\.00 \| 100\.0 \| 100\.0 \| 102\.0 \| 102\.0 \|/);
  assert.match(page, /\| open files \| 0\.00 \| 7 \| 7 \| 7 \| 7 \|/);
  assert.match(page, / 1000 entries\/s delivered/);
});

test('of all counters those are named that moved, by how much', () => {
  const before = new Map([
    ['guard_trips{guard="ping"}', 1],
    ['other', 1],
  ]);
  const after = new Map([
    ['guard_trips{guard="ping"}', 3],
    ['guard_trips{guard="settings"}', 0],
    ['other', 9],
  ]);
  assert.deepEqual(gains(before, after, /guard/), [['guard_trips{guard="ping"}', 2]]);
});
