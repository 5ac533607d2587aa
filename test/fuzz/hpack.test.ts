import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HPACK_LIST_BOMB,
  HPACK_LIST_TOO_LARGE,
  HPACK_OK,
  HpackDecoder,
  HpackEncoder,
  hpackErrorOf,
} from '../../src/net/hpack/index.js';
import { below, fuzz } from '../support/fuzzer.js';
import { REQUEST, RESPONSE } from '../support/peer.js';

const TABLE_BYTES = 4096;
const LIST_BYTES = 2048;
const FIELD_OVERHEAD_BYTES = 32;

function encoded(...lists: (readonly string[])[]): Buffer {
  const encoder = new HpackEncoder();
  return Buffer.concat(lists.map((fields) => Buffer.from(encoder.encode(fields))));
}

function decode(decoder: HpackDecoder, block: Uint8Array): { outcome: number; fields: string[] } {
  const fields: string[] = [];
  return { outcome: decoder.decode(block, 0, block.length, fields, LIST_BYTES), fields };
}

function listBytes(fields: readonly string[]): number {
  return fields.reduce((sum, text) => sum + text.length, 0) + (fields.length / 2) * FIELD_OVERHEAD_BYTES;
}

/** A sequence of blocks is fed to one decoder: the first byte of each says how long it is. */
function splitBlocks(input: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < input.length;) {
    const length = input[at] ?? 0;
    blocks.push(input.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return blocks;
}

function asBlocks(...blocks: Buffer[]): Buffer {
  return Buffer.concat(blocks.flatMap((block) => [Buffer.from([block.length]), block]));
}

test('whatever the blocks, the decoder answers by code, keeps its limits and says what can be said again', () => {
  const metadata = ['grpc-timeout', '1S', 'authentication', 'secret', 'x-long', 'y'.repeat(90)];
  const report = fuzz({
    name: 'hpack',
    examples: [
      asBlocks(encoded(REQUEST), encoded(REQUEST)),
      asBlocks(encoded(RESPONSE), Buffer.from('be', 'hex')),
      asBlocks(Buffer.from('3fe10f20', 'hex'), encoded(metadata)),
      asBlocks(encoded(metadata, metadata)),
    ],
    run: (input, random) => {
      const decoder = new HpackDecoder(TABLE_BYTES);
      // In another decoder the same blocks lie elsewhere in a larger chunk.
      const shifted = new HpackDecoder(TABLE_BYTES);
      const encoder = new HpackEncoder();
      const again = new HpackDecoder(TABLE_BYTES);
      const answers: string[] = [];
      for (const block of splitBlocks(input)) {
        const { outcome, fields } = decode(decoder, block);
        const offset = below(9, random);
        const chunk = Buffer.concat([Buffer.alloc(offset, 0xff), block, Buffer.alloc(3, 0x82)]);
        const others: string[] = [];
        assert.equal(shifted.decode(chunk, offset, offset + block.length, others, LIST_BYTES), outcome);
        assert.deepEqual(others, fields);
        answers.push(`${outcome}:${Math.min(fields.length / 2, 6)}`);
        if (outcome < HPACK_OK) {
          assert.match(hpackErrorOf(outcome).code, /^SAT_HPACK_/);
          break;
        }
        assert.equal(fields.length % 2, 0);
        assert.ok(listBytes(fields) <= LIST_BYTES);
        if (outcome === HPACK_LIST_BOMB) break;
        if (outcome === HPACK_LIST_TOO_LARGE) continue;
        assert.deepEqual(decode(again, encoder.encode(fields)), { outcome: HPACK_OK, fields });
      }
      return answers.slice(0, 4).join(' ');
    },
  });
  assert.ok(report.answers > 6, `${report.answers} answers`);
});
