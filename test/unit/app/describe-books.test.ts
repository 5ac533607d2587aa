import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBooks, describeDrain } from '../../../src/app/describe-books.js';
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

test('the books of a pipe are one line that adds up', () => {
  assert.equal(
    describeBooks(AFTER),
    'received 10 events/100 entries; delivered 6/60; ' +
      'dropped 1 events/10 entries queue_full, 1 events/10 entries shutdown; held 2/20',
  );
});

test('a drain tells what it delivered, what stays on disk and what was dropped by it', () => {
  assert.equal(describeDrain(BEFORE, AFTER), 'drained: 20 entries delivered, 20 kept on disk, 10 dropped');
});
