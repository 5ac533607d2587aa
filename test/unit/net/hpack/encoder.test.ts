import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HPACK_OK, HpackDecoder, HpackEncoder } from '../../../../src/net/hpack/index.js';

const REQUEST = [':method', 'POST', ':path', '/a/b', 'content-type', 'application/grpc', 'te', 'trailers'];

function roundTrip(encoder: HpackEncoder, decoder: HpackDecoder, fields: string[]): Buffer {
  const block = Buffer.from(encoder.encode(fields));
  const decoded: string[] = [];
  assert.equal(decoder.decode(block, 0, block.length, decoded, 1 << 24), HPACK_OK);
  assert.deepEqual(decoded, fields);
  return block;
}

test('a repeated list shrinks to one byte a field', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  assert.ok(roundTrip(encoder, decoder, REQUEST).length > REQUEST.length / 2);
  assert.equal(roundTrip(encoder, decoder, REQUEST).length, REQUEST.length / 2);
});

test('a name that is in the dynamic table only is named by index', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  roundTrip(encoder, decoder, ['x-some-long-name', '1']);
  assert.ok(roundTrip(encoder, decoder, ['x-some-long-name', '2']).length <= 4);
});

describe('secrets are never indexed', () => {
  for (const name of ['authentication', 'authorization', 'cookie']) {
    test(name, () => {
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder(4096);
      const first = roundTrip(encoder, decoder, [name, 'token']);
      assert.equal(first[0]! & 0xf0, 0x10);
      assert.deepEqual(roundTrip(encoder, decoder, [name, 'token']), first);
    });
  }
});

test('values new in every call stay out of the table', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  roundTrip(encoder, decoder, ['x-kept', 'value']);
  for (let call = 0; call < 500; call++) roundTrip(encoder, decoder, ['grpc-timeout', `${call}m`]);
  assert.equal(roundTrip(encoder, decoder, ['x-kept', 'value']).length, 1);
});

test('a value that would fill half the table stays out of it', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  roundTrip(encoder, decoder, ['x-kept', 'value']);
  roundTrip(encoder, decoder, ['x-large', 'z'.repeat(3000)]);
  assert.equal(roundTrip(encoder, decoder, ['x-kept', 'value']).length, 1);
});

test('old entries are evicted on both sides alike', () => {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(4096);
  for (let index = 0; index < 1000; index++) roundTrip(encoder, decoder, [`x-${index % 150}`, `value ${index}`]);
});

describe('the peer changes its table size', () => {
  test('to 0: the next block says so and uses no table', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder(4096);
    roundTrip(encoder, decoder, REQUEST);
    encoder.setTableLimit(0);
    decoder.setTableLimit(0);
    assert.equal(roundTrip(encoder, decoder, REQUEST)[0], 0x20);
    assert.ok(roundTrip(encoder, decoder, REQUEST).length > REQUEST.length / 2);
  });

  test('down and up between two blocks: both sizes are said', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder(4096);
    roundTrip(encoder, decoder, REQUEST);
    encoder.setTableLimit(100);
    encoder.setTableLimit(2000);
    const block = roundTrip(encoder, decoder, REQUEST);
    assert.deepEqual([...block.subarray(0, 5)], [0x3f, 100 - 31, 0x3f, 0x80 | (1969 & 0x7f), 1969 >> 7]);
    roundTrip(encoder, decoder, REQUEST);
  });

  test('above our own bound: nothing is said, for we use no more', () => {
    const encoder = new HpackEncoder();
    encoder.setTableLimit(65536);
    assert.equal(encoder.encode([':method', 'GET'])[0], 0x82);
  });
});

test('a block of many kilobytes is encoded whole', () => {
  roundTrip(new HpackEncoder(), new HpackDecoder(4096), ['x-large', '\u00ff'.repeat(100_000), 'a', 'b']);
});
