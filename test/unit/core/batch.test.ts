import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Batch } from '../../../src/core/batch.js';
import { MemoryBudget } from '../../../src/core/budget.js';
import { Event, Identity } from '../../../src/core/event.js';
import { messageOf } from '../../support/als.js';

const ENVELOPE_BYTES = 5;

function eventOf(sizes: readonly number[], identityBytes = 0): Event {
  const identity = identityBytes === 0 ? null : new Identity(new Uint8Array(identityBytes), new MemoryBudget(1e6));
  const event = new Event('als-v3', 0, identity, 0, 0);
  for (const size of sizes) event.add(messageOf(new Uint8Array(size)), size);
  return event;
}

/** Weights of the messages that the leaves of the bisection carry, in order. */
function leaves(batch: Batch): number[] {
  if (batch.messages === 1) return [batch.bytes];
  const [first, second] = batch.bisect();
  assert.equal(first.messages + second.messages, batch.messages);
  assert.equal(first.entries + second.entries, batch.entries);
  assert.equal(first.bytes + second.bytes, batch.bytes);
  return [...leaves(first), ...leaves(second)];
}

describe('a batch', () => {
  it('weighs what its events weigh, identities and framing included', () => {
    const batch = new Batch([eventOf([10, 20], 100), eventOf([30])]);
    assert.deepEqual([batch.messages, batch.entries, batch.bytes], [3, 60, 60]);
    assert.equal(batch.wireBytes, 60 + 100 + 3 * ENVELOPE_BYTES);
  });

  it('is settled once', () => {
    const batch = new Batch([eventOf([1])]);
    batch.markSettled();
    assert.throws(() => {
      batch.markSettled();
    }, /twice/);
  });

  it('is bisected down to single messages, in order, without losing one', () => {
    assert.deepEqual(
      leaves(new Batch([eventOf([1, 2, 3]), eventOf([4]), eventOf([5, 6, 7, 8])])),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
  });

  it('is not usable after its bisection', () => {
    const batch = new Batch([eventOf([1, 2])]);
    batch.bisect();
    assert.throws(() => batch.bisect());
  });
});

describe('an identity', () => {
  it('is charged once and released with its last reference', () => {
    const budget = new MemoryBudget(1000);
    budget.reserve(100);
    const identity = new Identity(new Uint8Array(100), budget);
    identity.retain();
    identity.release();
    assert.equal(budget.usedBytes, 100);
    identity.release();
    assert.equal(budget.usedBytes, 0);
  });
});
