import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecayingSum } from '../../../src/base/index.js';

const HALF_LIFE_MS = 1000;

describe('a decaying sum', () => {
  it('counts an amount half as much after each half-life', () => {
    const sum = new DecayingSum(HALF_LIFE_MS);
    sum.add(8, 0);
    assert.deepEqual(
      [0, 1, 2, 3].map((count) => sum.at(count * HALF_LIFE_MS)),
      [8, 4, 2, 1],
    );
  });

  it('is not changed by reading, nor by time that goes backwards', () => {
    const sum = new DecayingSum(HALF_LIFE_MS);
    sum.add(8, 5000);
    assert.equal(sum.at(5000 + HALF_LIFE_MS), 4);
    assert.equal(sum.at(4000), 8);
    sum.add(2, 4000);
    assert.equal(sum.at(5000), 10);
  });

  it('makes, with the sum of its weights, a mean that follows the latest samples', () => {
    const values = new DecayingSum(HALF_LIFE_MS);
    const weights = new DecayingSum(HALF_LIFE_MS);
    for (const [value, atMs] of [
      [10, 0],
      [40, HALF_LIFE_MS],
    ] as const) {
      values.add(value, atMs);
      weights.add(1, atMs);
    }
    // (10 · 1/2 + 40) / (1/2 + 1)
    assert.equal(values.at(HALF_LIFE_MS) / weights.at(HALF_LIFE_MS), 30);
    assert.equal(values.at(9 * HALF_LIFE_MS) / weights.at(9 * HALF_LIFE_MS), 30);
  });
});
