import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEnd } from '../../../src/app/describe-books.js';
import type { LedgerSnapshot } from '../../../src/core/ledger.js';

function amount(events: number, entries: number): LedgerSnapshot['received'] {
  return { events, messages: events, entries, bytes: 10 * entries };
}

const BEFORE: LedgerSnapshot = {
  received: amount(10, 100),
  delivered: amount(4, 40),
  dropped: { queue_full: amount(1, 10) },
  held: amount(5, 50),
};
const AFTER: LedgerSnapshot = {
  received: amount(10, 100),
  delivered: amount(6, 60),
  dropped: { queue_full: amount(1, 10), shutdown: amount(1, 10) },
  held: amount(2, 20),
};

test('at its end a pipe says what the drain delivered, what stays on disk, what it dropped, and books that add up', () => {
  assert.equal(
    describeEnd(BEFORE, AFTER),
    'drained: 20 entries delivered, 20 kept on disk, 10 dropped; ' +
      'since the start received 10 events/100 entries; delivered 6/60; ' +
      'dropped 1 events/10 entries queue_full, 1 events/10 entries shutdown; held 2/20',
  );
});

test('a pipe that nobody used says nothing at its end', () => {
  const nothing = { received: amount(0, 0), delivered: amount(0, 0), dropped: {}, held: amount(0, 0) };
  assert.equal(describeEnd(nothing, nothing), null);
});
