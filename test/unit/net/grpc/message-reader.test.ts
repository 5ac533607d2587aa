import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageReader, READ } from '../../../../src/net/grpc/message-reader.js';
import { ReassemblyMeter } from '../../../../src/net/grpc/reassembly-meter.js';

const LIMIT_BYTES = 10_000;

function envelope(body: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

function createReader(meter = new ReassemblyMeter(1_000_000, null), limitBytes = LIMIT_BYTES): MessageReader {
  return new MessageReader(limitBytes, meter);
}

/** Feeds `bytes` in pieces of `pieceBytes`; returns bodies, marked when compressed. */
function readAll(reader: MessageReader, bytes: Buffer, pieceBytes: number): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    reader.push(piece, piece.length);
    for (let code = reader.next(); code !== READ.needMore; code = reader.next()) {
      assert.ok(code === READ.message || code === READ.compressed);
      const message = reader.takeMessage();
      const body = Buffer.concat(message.parts);
      assert.equal(body.length, message.length);
      bodies.push(code === READ.compressed ? `z:${body.toString()}` : body.toString());
    }
  }
  return bodies;
}

test('messages come out whole at every split', () => {
  const bytes = Buffer.concat([
    envelope(Buffer.from('first')),
    envelope(Buffer.alloc(0)),
    envelope(Buffer.from('third, a little longer'), 1),
    envelope(Buffer.from('x')),
  ]);
  for (let pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes++) {
    assert.deepEqual(readAll(createReader(), bytes, pieceBytes), ['first', '', 'z:third, a little longer', 'x']);
  }
});

test('a message that fills its slice is that slice, not a copy', () => {
  const reader = createReader();
  const prefix = envelope(Buffer.alloc(100)).subarray(0, 5);
  const body = Buffer.alloc(100, 7);
  reader.push(prefix, prefix.length);
  assert.equal(reader.next(), READ.needMore);
  reader.push(body, 65_536);
  assert.equal(reader.next(), READ.message);
  const message = reader.takeMessage();
  assert.equal(message.parts[0], body);
  assert.equal(message.pinnedBytes, 65_536);
});

test('a size above the limit is known from the prefix alone', () => {
  const reader = createReader();
  const prefix = envelope(Buffer.alloc(LIMIT_BYTES + 1)).subarray(0, 5);
  reader.push(prefix, prefix.length);
  assert.equal(reader.next(), READ.tooLarge);
  assert.equal(reader.announcedBytes, LIMIT_BYTES + 1);
});

test('a size of four gigabytes does not wrap around', () => {
  const reader = createReader();
  reader.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), 5);
  assert.equal(reader.next(), READ.tooLarge);
  assert.equal(reader.announcedBytes, 0xffffffff);
});

test('an unknown flag is an error', () => {
  const reader = createReader();
  reader.push(envelope(Buffer.from('x'), 2), 6);
  assert.equal(reader.next(), READ.badFlag);
});

test('only incomplete messages are charged, and given back when complete or released', () => {
  const meter = new ReassemblyMeter(1_000_000, null);
  const reader = createReader(meter);
  const whole = envelope(Buffer.from('whole'));
  reader.push(whole, whole.length);
  assert.equal(reader.next(), READ.message);
  reader.takeMessage();
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 0);
  const long = envelope(Buffer.alloc(1000));
  reader.push(long.subarray(0, 505), 2000);
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 2000);
  reader.push(long.subarray(505), 500);
  assert.equal(reader.next(), READ.message);
  reader.takeMessage();
  assert.equal(meter.usedBytes, 0);
  reader.push(long.subarray(0, 505), 2000);
  assert.equal(reader.next(), READ.needMore);
  reader.release();
  assert.equal(meter.usedBytes, 0);
});

test('a full meter is reported to the call whose bytes crossed its limit', () => {
  const reader = createReader(new ReassemblyMeter(999, null));
  const long = envelope(Buffer.alloc(2000));
  reader.push(long.subarray(0, 500), 500);
  assert.equal(reader.next(), READ.needMore);
  reader.push(long.subarray(500, 1500), 1000);
  assert.equal(reader.next(), READ.overBudget);
});

test('a meter that a large message has filled still takes modest ones, within a reserve', () => {
  const meterBytes = 1 << 20;
  const largeBytes = 2 * meterBytes;
  const meter = new ReassemblyMeter(meterBytes, null);
  const large = envelope(Buffer.alloc(largeBytes));
  const glutton = createReader(meter, largeBytes);
  glutton.push(large.subarray(0, meterBytes), meterBytes);
  assert.equal(glutton.next(), READ.needMore);
  const modest = envelope(Buffer.alloc(200_000));
  const outcomes = Array.from({ length: 3 }, () => {
    const neighbour = createReader(meter, largeBytes);
    neighbour.push(modest.subarray(0, 190_000), 190_000);
    return neighbour.next();
  });
  assert.deepEqual(outcomes, [READ.needMore, READ.needMore, READ.overBudget]);
  glutton.push(large.subarray(meterBytes, meterBytes + 1000), 1000);
  assert.equal(glutton.next(), READ.overBudget);
});

test('the memory of a shared slice is divided among its messages', () => {
  const reader = createReader();
  const bytes = Buffer.concat([envelope(Buffer.alloc(95)), envelope(Buffer.alloc(95))]);
  reader.push(bytes, 1000);
  assert.equal(reader.next(), READ.message);
  const first = reader.takeMessage();
  assert.equal(reader.next(), READ.message);
  const second = reader.takeMessage();
  assert.equal(first.pinnedBytes + second.pinnedBytes, 1000);
  assert.ok(first.pinnedBytes > 400);
});

test('a message in single bytes does not cost a view for each', () => {
  const reader = createReader();
  const body = Buffer.alloc(LIMIT_BYTES);
  for (let index = 0; index < body.length; index++) body[index] = index;
  const bytes = envelope(body);
  let parts: readonly Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at++) {
    reader.push(bytes.subarray(at, at + 1), 1);
    if (reader.next() === READ.message) parts = reader.takeMessage().parts;
  }
  assert.ok(parts.length < 30, `${String(parts.length)} parts`);
  assert.deepEqual(Buffer.concat(parts), body);
});
