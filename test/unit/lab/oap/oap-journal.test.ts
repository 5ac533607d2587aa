import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { NodeBook } from '../../../../src/lab/oap/oap-books.js';
import { OapJournal, readJournal } from '../../../../src/lab/oap/oap-journal.js';
import { SequenceSet } from '../../../../src/lab/sequence-set.js';
import { writeTemporary } from '../../../support/temporary.js';

test('the journal of two lives reads as the books of one OAP, without a record that was cut off', () => {
  const path = writeTemporary('journal', '');
  const first = new NodeBook('first', 1);
  const second = new NodeBook('second', 2);
  new OapJournal(path).append([first, first, second], [1, 2, 1]);
  new OapJournal(path).append([first, second], [2, 2]);
  appendFileSync(path, Buffer.from([1, 0, 0, 0, 9]));

  const reports = readJournal(path);

  assert.deepEqual(
    reports.map(({ envoy, acceptedEntries, doubledEntries }) => [envoy, acceptedEntries, doubledEntries]),
    [
      [1, 3, 1],
      [2, 2, 0],
    ],
  );
  assert.deepEqual(new SequenceSet(reports[0]?.sequences).missing(3, 9), [3]);
});
