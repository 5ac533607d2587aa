import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ByteWriter, Cursor } from '../../../src/base/index.js';

const field = fc.oneof(
  fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 300 }) }),
);

test('reads back whatever the writer wrote', () => {
  fc.assert(
    fc.property(fc.array(field, { maxLength: 50 }), fc.integer({ min: 0, max: 32 }), (fields, initialBytes) => {
      const writer = new ByteWriter(initialBytes);
      for (const item of fields) {
        if (item.kind === 'varint') writer.writeVarint(item.value);
        else writer.writeBytes(item.value);
      }
      const cursor = new Cursor(writer.take());
      for (const item of fields) {
        if (item.kind === 'varint') assert.equal(cursor.readVarint(), item.value);
        else assert.deepEqual(cursor.readBytes(item.value.length), item.value);
      }
      assert.equal(cursor.remaining, 0);
      assert.equal(cursor.failed, false);
    }),
  );
});

test('a read past the end fails once and for all, without throwing', () => {
  const reads: ((cursor: Cursor) => unknown)[] = [
    (cursor) => cursor.readVarint(),
    (cursor) => cursor.readBytes(4).length,
  ];
  for (const read of reads) {
    const cursor = new Cursor(new Uint8Array([1, 1, 1, 0x80]), 3);
    assert.equal(read(cursor), 0);
    assert.equal(cursor.failed, true);
    assert.equal(cursor.readVarint(), 0);
    assert.equal(cursor.remaining, 0);
  }
});

test('never reads outside its own part of the bytes', () => {
  const bytes = new Uint8Array([9, 1, 2, 9]);
  const cursor = new Cursor(bytes, 1, 3);
  assert.equal(cursor.readBytes(3).length, 0);
  assert.equal(cursor.failed, true);
  const again = new Cursor(bytes, 1, 3);
  assert.deepEqual([...again.readBytes(2)], [1, 2]);
  assert.equal(again.readVarint(), 0);
  assert.equal(again.failed, true);
});

test('a varint that does not end within ten bytes fails', () => {
  const cursor = new Cursor(new Uint8Array(11).fill(0x80));
  cursor.readVarint();
  assert.equal(cursor.failed, true);
});

test('a varint of 64 bits passes, rounded to a double', () => {
  const cursor = new Cursor(new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]));
  assert.equal(cursor.readVarint(), 2 ** 64);
  assert.equal(cursor.failed, false);
});

test('negative and oversized lengths fail for reading and for skipping', () => {
  for (const length of [-1, 5, Number.MAX_SAFE_INTEGER]) {
    const reader = new Cursor(new Uint8Array(4));
    assert.equal(reader.readBytes(length).length, 0);
    assert.equal(reader.failed, true);
    const skipper = new Cursor(new Uint8Array(4));
    skipper.skip(length);
    assert.equal(skipper.failed, true);
  }
});

test('bytes are a view, not a copy', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const cursor = new Cursor(bytes);
  cursor.skip(1);
  const view = cursor.readBytes(2);
  bytes[1] = 7;
  assert.deepEqual([...view], [7, 3]);
});
