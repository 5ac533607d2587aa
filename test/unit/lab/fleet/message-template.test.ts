import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRY_ID_BYTES, EntryId, readEntryId } from '../../../../src/lab/entry-id.js';
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from '../../../../src/lab/fleet/http2-bytes.js';
import {
  buildTemplate,
  encodeLogs,
  ENVELOPE_BYTES,
  TemplatePool,
  type MessageTemplate,
} from '../../../../src/lab/fleet/message-template.js';
import { AlsMessage, AlsReader } from '../../../../src/lab/oap/als-reader.js';

const WALL_MS = 1_796_100_632_411;

/** DATA payloads and stream ids, read from the framed bytes. */
function readFrames(template: MessageTemplate): { lengths: number[]; streams: number[]; body: Buffer } {
  const lengths: number[] = [];
  const streams: number[] = [];
  const payloads: Buffer[] = [];
  for (let at = 0; at < template.framed.length;) {
    const length = template.framed.readUIntBE(at, 3);
    assert.equal(template.framed[at + 3], 0, 'a DATA frame');
    streams.push(template.framed.readUInt32BE(at + 5));
    lengths.push(length);
    payloads.push(template.framed.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + length));
    at += FRAME_HEADER_BYTES + length;
  }
  return { lengths, streams, body: Buffer.concat(payloads) };
}

test('a template is the message in DATA frames of the right size and stream', () => {
  const message = encodeLogs('http', 64, 1250);
  const template = buildTemplate(message);
  template.fill(3, 1, 1, WALL_MS);
  const { lengths, streams, body } = readFrames(template);
  assert.ok(lengths.every((length) => length <= MAX_FRAME_BYTES));
  assert.ok(streams.every((id) => id === 3));
  assert.equal(body.readUInt32BE(1), message.length);
  assert.equal(template.creditBytes, ENVELOPE_BYTES + message.length);
  assert.deepEqual(template.toBody(), body);
});

test('entry ids are written whole wherever the frames are cut', () => {
  // Different sizes move the cuts across the ids.
  for (let entryBytes = 1000; entryBytes < 1100; entryBytes += 7) {
    const template = buildTemplate(encodeLogs('http', 40, entryBytes));
    template.fill(1, 9, 1001, WALL_MS);
    const { body } = readFrames(template);
    const message = body.subarray(ENVELOPE_BYTES);
    const found = new AlsMessage();
    new AlsReader().read(message, message.length, Infinity, found);
    const id = new EntryId();
    const sequences = found.streamIds.map((at) => {
      assert.ok(at + ENTRY_ID_BYTES <= message.length && readEntryId(message, at, id));
      assert.equal(id.envoy, 9);
      assert.equal(id.sentAtMs, WALL_MS);
      return id.sequence;
    });
    assert.deepEqual(
      sequences,
      Array.from({ length: 40 }, (_, index) => 1001 + index),
    );
  }
});

test('a template in flight is never handed out again', () => {
  const pool = new TemplatePool('tcp', 500);
  const first = pool.take(2);
  const second = pool.take(2);
  assert.notEqual(first.framed, second.framed);
  pool.give(first);
  assert.equal(pool.take(2), first);
});
