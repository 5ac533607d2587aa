import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipfShares } from '../../../../src/lab/fleet/zipf.js';

test('without skew all sources are alike', () => {
  assert.deepEqual([...zipfShares(4, 0)], [0.25, 0.25, 0.25, 0.25]);
});

test('with skew 1 the second source has half of the first, and shares add up to one', () => {
  const shares = zipfShares(150, 1);
  assert.ok(Math.abs(shares[1]! - shares[0]! / 2) < 1e-12);
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
});
