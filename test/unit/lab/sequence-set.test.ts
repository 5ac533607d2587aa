import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SequenceSet } from '../../../src/lab/sequence-set.js';

function setOf(...sequences: number[]): SequenceSet {
  const set = new SequenceSet();
  for (const sequence of sequences) set.add(sequence);
  return set;
}

test('a sequence is new once', () => {
  const set = new SequenceSet();
  assert.equal(set.add(31), true);
  assert.equal(set.add(32), true);
  assert.equal(set.add(31), false);
  assert.equal(set.add(1_000_000), true);
  assert.equal(set.distinct, 3);
  assert.equal(set.last, 1_000_000);
  assert.equal(set.has(32), true);
  assert.equal(set.has(33), false);
});

test('missing numbers are named up to a limit', () => {
  assert.deepEqual(setOf(1, 3, 6).missing(7, 3), [2, 4, 5]);
  assert.deepEqual(setOf(1, 2).missing(2, 3), []);
});

test('merging counts what both have', () => {
  const left = setOf(1, 2, 3, 500);
  const shared = left.merge(setOf(3, 4, 500, 900));
  assert.equal(shared, 2);
  assert.equal(left.distinct, 6);
  assert.equal(left.last, 900);
});

test('a set survives the way through another process', () => {
  const copy = new SequenceSet(setOf(1, 31, 32, 4000).toWords());
  assert.equal(copy.distinct, 4);
  assert.equal(copy.last, 4000);
  assert.equal(copy.add(32), false);
});
