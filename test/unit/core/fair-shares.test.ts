import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairShares } from '../../../src/core/fair-shares.js';

test('a source is greedy that holds more than twice what the others hold on average', () => {
  const shares = new FairShares();
  const big = shares.join('a');
  const small = shares.join('b');
  const idle = shares.join('c');
  shares.hold(big, 100);
  shares.hold(small, 100);
  assert.equal(shares.isGreedy(big), false);
  shares.hold(big, 1);
  assert.equal(shares.isGreedy(big), true);
  assert.equal(shares.isGreedy(small), false);
  assert.equal(shares.isGreedy(idle), false);
});

test('a source that is alone is never greedy', () => {
  const shares = new FairShares();
  const only = shares.join('a');
  shares.hold(only, 1_000_000);
  assert.equal(shares.isGreedy(only), false);
});

test('streams of one host are one source, which is forgotten when it holds nothing and has no stream', () => {
  const shares = new FairShares();
  const account = shares.join('a');
  assert.equal(shares.join('a'), account);
  shares.hold(account, 10);
  shares.leave(account);
  shares.leave(account);
  assert.equal(shares.join('a'), account, 'it still holds something');
  shares.leave(account);
  shares.release(account, 10);
  assert.notEqual(shares.join('a'), account);
});
