import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeHuffman, encodeHuffman, huffmanLength } from '../../../../src/net/hpack/huffman.js';
import { HPACK_OK, HpackDecoder, HpackEncoder } from '../../../../src/net/hpack/index.js';

function encode(text: string): Buffer {
  const out = Buffer.alloc(huffmanLength(text));
  assert.equal(encodeHuffman(text, out, 0), out.length);
  return out;
}

function decode(bytes: Uint8Array): string | null {
  const out = Buffer.alloc(bytes.length * 2);
  const count = decodeHuffman(bytes, 0, bytes.length, out);
  return count < 0 ? null : out.toString('latin1', 0, count);
}

const latin1 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

test('every pair of characters survives', () => {
  for (let first = 0; first < 256; first++) {
    let text = '';
    for (let second = 0; second < 256; second++) text += String.fromCharCode(first, second);
    assert.equal(decode(encode(text)), text);
  }
});

test('the shortest and the longest codes are those of the RFC', () => {
  assert.equal(encode('0').toString('hex'), '07');
  assert.equal(encode('\n').toString('hex'), 'fffffff3');
  assert.equal(encode('\u00f9').toString('hex'), 'ffffffef');
});

test('any text survives', () => {
  fc.assert(fc.property(latin1, (text) => decode(encode(text)) === text));
});

test('any bytes are decoded or refused, and what is decoded encodes to them again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const text = decode(bytes);
      if (text !== null) assert.deepEqual(new Uint8Array(encode(text)), bytes);
    }),
  );
});

test('any sequence of header lists survives a connection, whatever the table size', () => {
  const name = fc.constantFrom('a', ':path', 'content-type', 'cookie', 'x-one', 'x-two', 'grpc-timeout', 'accept');
  const value = fc.oneof(fc.constantFrom('', 'x', 'application/grpc', '/'), latin1);
  const list = fc.array(fc.tuple(name, value), { maxLength: 12 });
  const size = fc.option(fc.integer({ min: 0, max: 5000 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(size, list), { maxLength: 12 }), (blocks) => {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder(4096);
      for (const [limit, fields] of blocks) {
        if (limit !== null) {
          encoder.setTableLimit(limit);
          decoder.setTableLimit(limit);
        }
        const block = Buffer.from(encoder.encode(fields.flat()));
        const out: string[] = [];
        assert.equal(decoder.decode(block, 0, block.length, out, 1 << 24), HPACK_OK);
        assert.deepEqual(out, fields.flat());
      }
    }),
  );
});

test('any bytes as a block are decoded or refused, never thrown on', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 5 }), (blocks) => {
      const decoder = new HpackDecoder(4096);
      for (const block of blocks) decoder.decode(block, 0, block.length, [], 500);
    }),
  );
});
