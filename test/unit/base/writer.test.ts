import { test } from 'node:test';
import assert from 'node:assert/strict';
import { ByteWriter } from '../../../src/base/index.js';

const HELLO = new Uint8Array(Buffer.from('hello'));

test('take hands over an exact copy and leaves the writer empty', () => {
  const writer = new ByteWriter(4);
  const first = writer.writeBytes(HELLO).take();
  assert.deepEqual(first, HELLO);
  assert.equal(first.buffer.byteLength, first.length);
  assert.deepEqual([...writer.writeVarint(1).take()], [1]);
  assert.deepEqual(first, HELLO);
});

test('a writer made without room grows all the same', () => {
  assert.deepEqual([...new ByteWriter(0).writeVarint(5).take()], [5]);
  assert.equal(new ByteWriter(0).writeBytes(new Uint8Array(1_000)).take().length, 1_000);
});

test('varints have the canonical bytes', () => {
  const bytesOf = (value: number): number[] => [...new ByteWriter().writeVarint(value).take()];
  assert.deepEqual(bytesOf(0), [0]);
  assert.deepEqual(bytesOf(127), [127]);
  assert.deepEqual(bytesOf(128), [0x80, 1]);
  assert.deepEqual(bytesOf(300), [0xac, 2]);
  assert.deepEqual(bytesOf(2 ** 53 - 1), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
});
