import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FieldScanner } from '../../../../src/core/wire/index.js';
import { messageInBytes, messageOf } from '../../../support/als.js';

/** field 1 varint 300, field 2 bytes "abc", field 3 fixed32, field 4 fixed64. */
const SAMPLE = Uint8Array.from([8, 0xac, 2, 18, 3, 97, 98, 99, 29, 1, 2, 3, 4, 33, 1, 2, 3, 4, 5, 6, 7, 8]);

function walk(message: ReturnType<typeof messageOf>): { tags: number[]; failed: boolean; position: number } {
  const scanner = new FieldScanner();
  scanner.start(message);
  const tags: number[] = [];
  while (scanner.position < scanner.length && !scanner.failed) {
    const tag = scanner.readTag();
    tags.push(tag);
    scanner.skipValue(tag, scanner.length);
  }
  return { tags, failed: scanner.failed, position: scanner.position };
}

describe('the field scanner', () => {
  it('walks the fields of a message however it is cut', () => {
    const whole = { tags: [8, 18, 29, 33], failed: false, position: SAMPLE.length };
    assert.deepEqual(walk(messageOf(SAMPLE)), whole);
    assert.deepEqual(walk(messageInBytes(SAMPLE)), whole);
    for (let cut = 0; cut <= SAMPLE.length; cut++)
      assert.deepEqual(walk(messageOf(SAMPLE, [cut])), whole, `cut ${cut}`);
    for (let cut = 0; cut < SAMPLE.length; cut++) {
      assert.deepEqual(walk(messageOf(SAMPLE, [cut, cut, cut + 1])), whole, `empty part at ${cut}`);
    }
  });

  it('fails on every truncation that cuts a field', () => {
    const boundaries = new Set([0, 3, 8, 13, SAMPLE.length]);
    for (let length = 0; length <= SAMPLE.length; length++) {
      assert.equal(walk(messageOf(SAMPLE.subarray(0, length))).failed, !boundaries.has(length), `length ${length}`);
    }
  });

  it('fails on field number 0, on groups, on tags of more than 32 bits and on endless varints', () => {
    for (const bytes of [
      [0],
      [2, 0],
      [0x0b, 0x0c],
      [0xff, 0xff, 0xff, 0xff, 0x7f, 1],
      new Array<number>(11).fill(0xff),
    ]) {
      assert.equal(walk(messageOf(Uint8Array.from(bytes))).failed, true, bytes.join(' '));
    }
  });

  it('reads varints of ten bytes and tags of five', () => {
    const large = Uint8Array.from([8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    assert.equal(walk(messageInBytes(large)).failed, false);
    const lastField = Uint8Array.from([0xf8, 0xff, 0xff, 0xff, 0x0f, 1]);
    assert.deepEqual(walk(messageInBytes(lastField)), { tags: [2 ** 32 - 8], failed: false, position: 6 });
  });

  it('refuses a length that reaches beyond the end it is given', () => {
    const scanner = new FieldScanner();
    scanner.start(messageOf(SAMPLE));
    scanner.skip(4);
    assert.equal(scanner.readLength(7), 0);
    assert.equal(scanner.failed, true);
  });
});
