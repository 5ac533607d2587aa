import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRY_ID_BYTES, ENTRY_ID_PLACEHOLDER, EntryId, readEntryId, writeEntryId } from '../../../src/lab/entry-id.js';

const WALL_MS = 1_796_100_632_411;

function encode(envoy: number, sequence: number, sentAtMs: number): Buffer {
  const bytes = Buffer.from(ENTRY_ID_PLACEHOLDER, 'latin1');
  writeEntryId(bytes, 0, envoy, sequence, sentAtMs);
  return bytes;
}

test('an entry id gives back Envoy, sequence and time, at the limits too', () => {
  const largestSequence = 2 ** 40 - 1;
  for (const [envoy, sequence] of [
    [0, 1],
    [2299, 4095],
    [2299, 4096],
    [0xffffffff, largestSequence],
  ] as const) {
    const id = new EntryId();
    assert.ok(readEntryId(encode(envoy, sequence, WALL_MS), 0, id));
    assert.deepEqual([id.envoy, id.sequence, id.sentAtMs], [envoy, sequence, WALL_MS]);
  }
});

test('an entry id has the form of a UUID', () => {
  const text = encode(150, 77, WALL_MS).toString('latin1');
  assert.equal(text.length, ENTRY_ID_BYTES);
  assert.match(text, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a real Envoy's UUID and damaged ids are not taken for ours", () => {
  const id = new EntryId();
  const real = Buffer.from('84971a54-90d5-435f-8d52-321a277961e4', 'latin1');
  assert.equal(readEntryId(real, 0, id), false);
  const damaged = encode(1, 2, WALL_MS);
  damaged[3] = 'G'.charCodeAt(0);
  assert.equal(readEntryId(damaged, 0, id), false);
});
