import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../../../src/base/index.js';
import { hashBytes, pickByKey } from '../../../../src/core/balance/rendezvous.js';

const KEYS = 10_000;
/** Endpoint of the first eight keys among five. */
const PINNED = [4, 3, 4, 1, 0, 2, 4, 2];

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const keyHash = (key: number): number => hashBytes(encode(`service-${key % 97}|instance-${key}@10.1.${key % 251}.7`));
const endpoints = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => hashBytes(encode(`10.0.0.${index + 1}:11800`)));

describe('rendezvous hashing', () => {
  it('hashes as FNV-1a does', () => {
    assert.equal(hashBytes(encode('')), 0x811c9dc5);
    assert.equal(hashBytes(encode('foobar')), 0xbf9cf968);
  });

  it('has no endpoint among none', () => {
    assert.equal(pickByKey(1, []), -1);
  });

  it('sends a key to the same endpoint in whatever order they are known', () => {
    const random = createSeededRandom(5);
    const known = endpoints(7);
    for (let key = 0; key < 500; key++) {
      const shuffled = [...known].sort(() => random() - 0.5);
      assert.equal(shuffled[pickByKey(keyHash(key), shuffled)], known[pickByKey(keyHash(key), known)]);
    }
  });

  it('is the same in every process and version: these pairs must not change', () => {
    const chosen = [0, 1, 2, 3, 4, 5, 6, 7].map((key) => pickByKey(keyHash(key), endpoints(5)));
    assert.deepEqual(chosen, PINNED);
  });

  it('spreads keys evenly', () => {
    const counts = new Array<number>(6).fill(0);
    for (let key = 0; key < KEYS; key++) counts[pickByKey(keyHash(key), endpoints(6))]!++;
    // Four standard deviations of a fair die.
    const spread = 4 * Math.sqrt(KEYS / 6);
    for (const count of counts) assert.ok(Math.abs(count - KEYS / 6) < spread, counts.join());
  });

  it('moves only keys to the endpoint that joined, about its share', () => {
    const [before, after] = [endpoints(5), endpoints(6)];
    let moved = 0;
    for (let key = 0; key < KEYS; key++) {
      const from = pickByKey(keyHash(key), before);
      const to = pickByKey(keyHash(key), after);
      if (from === to) continue;
      assert.equal(to, 5);
      moved++;
    }
    assert.ok(Math.abs(moved - KEYS / 6) < 4 * Math.sqrt(KEYS / 6));
  });
});
