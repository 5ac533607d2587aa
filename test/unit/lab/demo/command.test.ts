import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DEMO_OPTIONS, parseDemoArguments } from '../../../../src/lab/demo/index.js';

test('the demo runs without any flag', () => {
  assert.deepEqual(parseDemoArguments([]), DEFAULT_DEMO_OPTIONS);
});

test('each flag is taken', () => {
  const args = ['--envoys', '7', '--rate=100', '--oaps', '2', '--seconds', '5', '--kill-one'];
  assert.deepEqual(parseDemoArguments(args), { envoys: 7, rate: 100, oaps: 2, seconds: 5, killOne: true });
  assert.equal(parseDemoArguments(['-h']), 'help');
});

test('a wrong number or an unknown flag is refused with a sentence', () => {
  assert.throws(() => parseDemoArguments(['--oaps', '0']), /--oaps takes a whole number from 1 to 32, not "0"/);
  assert.throws(() => parseDemoArguments(['--rate', 'fast']), /--rate/);
  assert.throws(() => parseDemoArguments(['--envoy', '3']), /envoy/);
});
