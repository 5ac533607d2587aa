import { test } from 'node:test';
import assert from 'node:assert/strict';
import { ByteWriter } from '../../../src/base/index.js';

test('take hands over an exact copy and leaves the writer empty', () => {
  const writer = new ByteWriter(4);
  const first = writer.writeString('héllo').take();
  assert.equal(Buffer.from(first).toString('utf8'), 'héllo');
  assert.equal(first.buffer.byteLength, first.length);
  assert.equal(writer.length, 0);
  writer.writeU8(1);
  assert.equal(Buffer.from(first).toString('utf8'), 'héllo');
});

test('a writer made without room grows all the same', () => {
  assert.deepEqual([...new ByteWriter(0).writeU8(5).take()], [5]);
});

test('view shows what is written so far', () => {
  const writer = new ByteWriter();
  writer.writeU16(0x1234).writeU32(0xdeadbeef);
  assert.deepEqual([...writer.view()], [0x12, 0x34, 0xde, 0xad, 0xbe, 0xef]);
  assert.equal(writer.length, 6);
});

test('varints have the canonical bytes', () => {
  const bytesOf = (value: number): number[] => [...new ByteWriter().writeVarint(value).take()];
  assert.deepEqual(bytesOf(0), [0]);
  assert.deepEqual(bytesOf(127), [127]);
  assert.deepEqual(bytesOf(128), [0x80, 1]);
  assert.deepEqual(bytesOf(300), [0xac, 2]);
  assert.deepEqual(bytesOf(2 ** 53 - 1), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
});
