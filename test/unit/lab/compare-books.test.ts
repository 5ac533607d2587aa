import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBooks } from '../../../src/lab/compare-books.js';
import type { NodeReport } from '../../../src/lab/oap/oap-books.js';
import { SequenceSet } from '../../../src/lab/sequence-set.js';

function report(envoy: number, sequences: readonly number[], doubledEntries = 0): NodeReport {
  const set = new SequenceSet();
  for (const sequence of sequences) set.add(sequence);
  return {
    nodeId: `node ${envoy}`,
    envoy,
    acceptedEntries: sequences.length + doubledEntries,
    doubledEntries,
    sequences: set.toWords(),
  };
}

test('entries spread over several OAPs are all there', () => {
  const books = compareBooks(new Map([[3, 4]]), [report(3, [1, 4]), report(3, [2, 3])]);
  assert.deepEqual(books, {
    sentEntries: 4,
    deliveredEntries: 4,
    missingEntries: 0,
    doubledEntries: 0,
    examples: [],
    doubles: [],
  });
});

test('what no OAP has is missing and named; what two have is doubled', () => {
  const sent = new Map([
    [1, 3],
    [2, 2],
  ]);
  const books = compareBooks(sent, [report(1, [1, 2], 1), report(1, [2])]);
  assert.equal(books.missingEntries, 3);
  assert.equal(books.doubledEntries, 2);
  assert.deepEqual(books.examples, ['envoy 1: 3', 'envoy 2: 1, 2']);
  assert.deepEqual(books.doubles, ['envoy 1: 2 twice']);
});

test('nodes from elsewhere are left out of the comparison', () => {
  const books = compareBooks(new Map([[1, 1]]), [report(1, [1]), report(-1, [])]);
  assert.equal(books.deliveredEntries, 1);
});
