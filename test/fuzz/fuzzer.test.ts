import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fuzz, type FuzzTarget } from '../support/fuzzer.js';
import { makeTemporaryFolder } from '../support/temporary.js';

const TIME_MS = 20_000;

/** Breaks when three bytes in a row are right; each says how far one came. */
const LOCK: FuzzTarget = {
  name: 'lock',
  examples: [Buffer.alloc(8)],
  run: (input) => {
    const opened = [0xc0, 0xff, 0x7f].findIndex((byte, index) => input[index] !== byte);
    assert.notEqual(opened, -1, 'open');
    return `${opened}`;
  },
};

test('follows new answers to what breaks a target, shrinks it and keeps it as a file that runs first', () => {
  const seedsFolder = makeTemporaryFolder();
  const broken = /lock \(seed 1\) broke at c0ff7f, kept as .*\.hex: open/s;
  assert.throws(() => fuzz(LOCK, { seedsFolder, seed: 1, timeMs: TIME_MS }), broken);
  assert.equal(readdirSync(seedsFolder).length, 1);
  assert.throws(() => fuzz(LOCK, { seedsFolder, seed: 1, timeMs: 0 }), broken);
  assert.equal(readdirSync(seedsFolder).length, 1);
});

test('a target without faults is run until the time is over', () => {
  const target = { ...LOCK, run: (input: Uint8Array) => `${input.length % 4}` };
  const report = fuzz(target, { seedsFolder: makeTemporaryFolder(), timeMs: 10 });
  assert.ok(report.runs > 1);
  assert.equal(report.answers, 4);
});
