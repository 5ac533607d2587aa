import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DEMO_OPTIONS, parseDemoArguments } from '../../../../src/lab/demo/index.js';
import type { DemoOptions } from '../../../../src/lab/demo/index.js';

test('the demo runs without any flag', () => {
  assert.deepEqual(parseDemoArguments([]), DEFAULT_DEMO_OPTIONS);
});

test('each flag is taken', () => {
  const args = ['--envoys', '7', '--rate=100', '--oaps', '2', '--seconds', '5', '--kill-one'];
  assert.deepEqual(parseDemoArguments(args), { envoys: 7, rate: 100, oaps: 2, seconds: 5, killOne: true });
  assert.equal(parseDemoArguments(['-h']), 'help');
});

test('without simulated Envoys it waits for others, an hour unless told otherwise', () => {
  assert.deepEqual(parseDemoArguments(['--envoys', '0']), { ...DEFAULT_DEMO_OPTIONS, envoys: 0, seconds: 3600 });
  assert.equal((parseDemoArguments(['--envoys=0', '--seconds=9']) as DemoOptions).seconds, 9);
});

test('a wrong number or an unknown flag is refused with a sentence', () => {
  assert.throws(() => parseDemoArguments(['--oaps', '0']), /--oaps takes a whole number from 1 to 32, not "0"/);
  assert.throws(() => parseDemoArguments(['--rate', 'fast']), /--rate/);
  assert.throws(() => parseDemoArguments(['--envoy', '3']), /envoy/);
});
