import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairShares } from '../../../src/core/fair-shares.js';

test('a source is greedy that holds more than twice what the others hold on average', () => {
  const shares = new FairShares();
  const big = shares.join('a');
  const small = shares.join('b');
  const idle = shares.join('c');
  big.hold(100);
  small.hold(100);
  assert.equal(big.isGreedy, false);
  big.hold(1);
  assert.equal(big.isGreedy, true);
  assert.equal(small.isGreedy, false);
  assert.equal(idle.isGreedy, false);
});

test('a source that is alone is never greedy', () => {
  const only = new FairShares().join('a');
  only.hold(1_000_000);
  assert.equal(only.isGreedy, false);
});

test('streams of one host are one source, which is forgotten when it holds nothing and has no stream', () => {
  const shares = new FairShares();
  const account = shares.join('a');
  assert.equal(shares.join('a'), account);
  account.hold(10);
  account.leave();
  account.leave();
  assert.equal(shares.join('a'), account, 'it still holds something');
  account.leave();
  account.release(10);
  assert.equal(shares.sources, 0);
  assert.notEqual(shares.join('a'), account);
});
