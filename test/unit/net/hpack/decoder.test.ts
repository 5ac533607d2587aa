import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  HPACK_ERRORS,
  HPACK_LIST_BOMB,
  HPACK_LIST_TOO_LARGE,
  HPACK_OK,
  HpackDecoder,
  hpackErrorOf,
} from '../../../../src/net/hpack/index.js';
import type { ErrorKind } from '../../../../src/base/index.js';

const LIST_BYTES = 16384;

function decode(
  hex: string,
  decoder = new HpackDecoder(4096),
  listBytes = LIST_BYTES,
): { outcome: number; fields: string[] } {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const fields: string[] = [];
  return { outcome: decoder.decode(bytes, 0, bytes.length, fields, listBytes), fields };
}

function assertFails(hex: string, kind: ErrorKind): void {
  const { outcome } = decode(hex);
  assert.ok(outcome < HPACK_OK);
  assert.equal(hpackErrorOf(outcome).code, kind.code);
}

describe('a block that ends inside a field is truncated', () => {
  for (const hex of ['7f', '7f80', '40', '400161', '40016102', '418c f1e3', '0f', '3f']) {
    test(hex, () => assertFails(hex, HPACK_ERRORS.TRUNCATED));
  }
});

describe('an integer that is too large is refused', () => {
  test('five continuation bytes', () => assertFails('ff 80 80 80 80 01', HPACK_ERRORS.INTEGER));
  test('more bits than any length needs', () => assertFails('7f ff ff ff ff ff', HPACK_ERRORS.INTEGER));
  test('just above the bound', () => assertFails('00 7f ff ff ff 7f 00', HPACK_ERRORS.INTEGER));
  test('endless zeros', () => assertFails(`ff${'80'.repeat(40)}`, HPACK_ERRORS.INTEGER));
});

describe('an index that names nothing is refused', () => {
  test('zero', () => assertFails('80', HPACK_ERRORS.INDEX));
  test('behind the static table while the dynamic one is empty', () => assertFails('be', HPACK_ERRORS.INDEX));
  test('as the name of a literal', () => assertFails('7f ff 01 01 61', HPACK_ERRORS.INDEX));
});

describe('a broken Huffman string is refused', () => {
  test('padding of 8 bits', () => assertFails('00 82 1f ff 01 61', HPACK_ERRORS.HUFFMAN));
  test('padding of zeros', () => assertFails('00 81 18 01 61', HPACK_ERRORS.HUFFMAN));
  test('EOS inside', () => assertFails('00 84 ff ff ff ff 01 61', HPACK_ERRORS.HUFFMAN));
});

describe('table size updates', () => {
  test('are taken at the front of a block', () => {
    assert.equal(decode('3f e1 0f 20 82').outcome, HPACK_OK);
  });

  test('are refused behind a field', () => assertFails('82 20', HPACK_ERRORS.TABLE_SIZE));

  test('are refused above our limit', () => assertFails('3f e2 1f', HPACK_ERRORS.TABLE_SIZE));

  test('are due after our limit went below what the peer uses', () => {
    const decoder = new HpackDecoder(4096);
    decoder.setTableLimit(64);
    assert.equal(hpackErrorOf(decode('82', decoder).outcome).code, HPACK_ERRORS.TABLE_SIZE.code);
  });

  test('satisfy a lowered limit, and evict', () => {
    const decoder = new HpackDecoder(4096);
    assert.equal(decode('40 01 61 01 62', decoder).outcome, HPACK_OK);
    decoder.setTableLimit(0);
    assert.equal(decode('20 82', decoder).outcome, HPACK_OK);
    assert.equal(hpackErrorOf(decode('be', decoder).outcome).code, HPACK_ERRORS.INDEX.code);
  });

  test('are not due after our limit went up', () => {
    const decoder = new HpackDecoder(4096);
    decoder.setTableLimit(8192);
    assert.equal(decode('82', decoder).outcome, HPACK_OK);
    assert.equal(decode('3f e1 3f 82', decoder).outcome, HPACK_OK);
  });
});

describe('a header list above the limit', () => {
  test('is flagged, and its fields beyond the limit are dropped', () => {
    const { outcome, fields } = decode('82 86 84', undefined, 42 + 43);
    assert.equal(outcome, HPACK_LIST_TOO_LARGE);
    assert.deepEqual(fields, [':method', 'GET', ':scheme', 'http']);
    assert.equal(hpackErrorOf(outcome).scope, 'call');
  });

  test('keeps the table in step for the next block', () => {
    const decoder = new HpackDecoder(4096);
    assert.equal(decode('40 01 61 01 62 40 01 63 01 64', decoder, 20).outcome, HPACK_LIST_TOO_LARGE);
    assert.deepEqual(decode('be bf', decoder).fields, ['c', 'd', 'a', 'b']);
  });

  test('may be a bomb of references: its size is never built', () => {
    const decoder = new HpackDecoder(4096);
    const value = '61'.repeat(4000);
    decode(`40 01 62 7f a1 1e ${value}`, decoder);
    const { outcome, fields } = decode('be'.repeat(16000), decoder);
    assert.equal(outcome, HPACK_LIST_BOMB);
    assert.ok(fields.length <= 2 * Math.ceil(LIST_BYTES / 4000));
  });
});

test('bytes of any Uint8Array are read, not only of a Buffer', () => {
  const fields: string[] = [];
  const bytes = new Uint8Array([0xff, 0x00, 0x01, 0x61, 0x01, 0xe9, 0xff]);
  assert.equal(new HpackDecoder(4096).decode(bytes, 1, 6, fields, LIST_BYTES), HPACK_OK);
  assert.deepEqual(fields, ['a', '\u00e9']);
});

test('an entry larger than the table empties it without an error', () => {
  const decoder = new HpackDecoder(64);
  assert.equal(decode('40 01 61 01 62', decoder).outcome, HPACK_OK);
  assert.equal(decode(`40 01 61 40 ${'63'.repeat(64)}`, decoder).outcome, HPACK_OK);
  assert.equal(hpackErrorOf(decode('be', decoder).outcome).code, HPACK_ERRORS.INDEX.code);
});
