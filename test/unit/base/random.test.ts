import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createSeededRandom } from '../../../src/base/index.js';

test('the same seed gives the same numbers, all in [0, 1)', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const left = createSeededRandom(seed);
      const right = createSeededRandom(seed);
      for (let count = 0; count < 100; count++) {
        const value = left();
        assert.equal(value, right());
        assert.ok(value >= 0 && value < 1);
      }
    }),
  );
});

test('spreads evenly enough for shuffles and jitter', () => {
  const random = createSeededRandom(1);
  const counts = new Array<number>(10).fill(0);
  const samples = 100_000;
  for (let count = 0; count < samples; count++) counts[Math.floor(random() * counts.length)]!++;
  for (const count of counts) assert.ok(Math.abs(count - samples / counts.length) < samples / counts.length / 20);
});
