import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_BLOCK_BYTES, type Slab } from '../../../../src/base/index.js';
import { MemoryBudget } from '../../../../src/core/budget.js';
import type { Message } from '../../../../src/net/grpc/contract.js';
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
    const lent = Uint8Array.from(piece);
    reader.push(lent);
    for (let code = reader.next(); code !== READ.needMore; code = reader.next()) {
      assert.ok(code === READ.message || code === READ.compressed);
      const message = reader.takeMessage();
      const body = Buffer.concat(message.parts);
      assert.equal(body.length, message.length);
      bodies.push(code === READ.compressed ? `z:${body.toString()}` : body.toString());
    }
    lent.fill(0xdb);
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

test('a message lies in one block of its own size, however it was cut', () => {
  const meter = new ReassemblyMeter(1_000_000, null);
  const bytes = envelope(Buffer.alloc(9000, 7));
  for (const cut of [5, 605, 4000, bytes.length]) {
    const reader = createReader(meter);
    reader.push(bytes.subarray(0, cut));
    if (cut < bytes.length) {
      assert.equal(reader.next(), READ.needMore);
      reader.push(bytes.subarray(cut));
    }
    assert.equal(reader.next(), READ.message);
    const message = reader.takeMessage();
    assert.deepEqual(
      message.parts.map((part) => Buffer.from(part)),
      [Buffer.alloc(9000, 7)],
    );
    assert.equal(message.pinnedBytes, 9000);
  }
});

test('who announces much and sends little holds little', () => {
  const meter = new ReassemblyMeter(1_000_000, null);
  const reader = createReader(meter);
  const bytes = envelope(Buffer.alloc(10_000));
  reader.push(bytes.subarray(0, 5));
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 0);
  reader.push(bytes.subarray(5, 6));
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 1024);
});

test('a released message gives its room to the next one', () => {
  const reader = createReader();
  const bytes = envelope(Buffer.alloc(1000, 1));
  const read = (): Message => {
    reader.push(bytes);
    assert.equal(reader.next(), READ.message);
    return reader.takeMessage();
  };
  const first = read();
  const place = first.parts[0]!.byteOffset;
  first.release();
  first.release();
  const second = read();
  assert.equal(second.parts[0]!.byteOffset, place);
  assert.notEqual(read().parts[0]!.byteOffset, place);
});

test('a message of which all is cut gives its block back once', () => {
  const meter = new ReassemblyMeter(1_000_000, null);
  const reader = createReader(meter);
  reader.push(envelope(Buffer.alloc(100)));
  assert.equal(reader.next(), READ.message);
  const message = reader.takeMessage();
  const { blocks } = meter;
  const fill = (count: number): [Slab, number][] =>
    Array.from({ length: count }, () => [blocks.take(MAX_BLOCK_BYTES), blocks.start]);
  const others = fill(20);
  message.shrink(0);
  assert.deepEqual([message.parts, message.pinnedBytes], [[], 0]);
  for (const [slab, start] of others) slab.giveBack(start, MAX_BLOCK_BYTES);
  message.release();
  const places = fill(40);
  for (const [slab, start] of places) {
    assert.ok(start + MAX_BLOCK_BYTES <= slab.bytes.length);
    assert.equal(places.filter((other) => other[0] === slab && other[1] === start).length, 1);
  }
});

test('halves of messages that never end pin a bounded part of the memory around them', () => {
  const budget = new MemoryBudget(Infinity);
  const meter = new ReassemblyMeter(1_000_000_000, budget);
  const half = envelope(Buffer.alloc(LIMIT_BYTES)).subarray(0, 6);
  const whole = envelope(Buffer.alloc(LIMIT_BYTES));
  const source = createReader(meter);
  const hanging: MessageReader[] = [];
  const queue: Message[] = [];
  for (let count = 0; count < 500; count++) {
    const reader = createReader(meter);
    reader.push(half);
    reader.next();
    hanging.push(reader);
    for (let message = 0; message < 30; message++) {
      source.push(whole);
      source.next();
      queue.push(source.takeMessage());
    }
    for (const message of queue.splice(0, queue.length - 30)) message.release();
  }
  for (const message of queue) message.release();
  assert.ok(budget.usedBytes < 36 * 1024 * 1024, String(budget.usedBytes));
  for (const reader of hanging) reader.release();
  assert.equal(budget.usedBytes, 0);
});

test('a size above the limit is known from the prefix alone', () => {
  const reader = createReader();
  const prefix = envelope(Buffer.alloc(LIMIT_BYTES + 1)).subarray(0, 5);
  reader.push(prefix);
  assert.equal(reader.next(), READ.tooLarge);
  assert.equal(reader.announcedBytes, LIMIT_BYTES + 1);
});

test('a size of four gigabytes does not wrap around', () => {
  const reader = createReader();
  reader.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]));
  assert.equal(reader.next(), READ.tooLarge);
  assert.equal(reader.announcedBytes, 0xffffffff);
});

test('an unknown flag is an error', () => {
  const reader = createReader();
  reader.push(envelope(Buffer.from('x'), 2));
  assert.equal(reader.next(), READ.badFlag);
});

test('only incomplete messages are charged, and given back when complete or released', () => {
  const meter = new ReassemblyMeter(1_000_000, null);
  const reader = createReader(meter);
  reader.push(envelope(Buffer.from('whole')));
  assert.equal(reader.next(), READ.message);
  reader.takeMessage();
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 0);
  const long = envelope(Buffer.alloc(1000));
  reader.push(long.subarray(0, 505));
  assert.equal(reader.next(), READ.needMore);
  assert.equal(meter.usedBytes, 1000);
  reader.push(long.subarray(505));
  assert.equal(reader.next(), READ.message);
  reader.takeMessage();
  assert.equal(meter.usedBytes, 0);
  reader.push(long.subarray(0, 505));
  assert.equal(reader.next(), READ.needMore);
  reader.release();
  assert.equal(meter.usedBytes, 0);
});

test('a full meter is reported to the call whose bytes crossed its limit', () => {
  const meter = new ReassemblyMeter(1200, null);
  const first = createReader(meter);
  const second = createReader(meter);
  const long = envelope(Buffer.alloc(1000));
  first.push(long.subarray(0, 500));
  assert.equal(first.next(), READ.needMore);
  second.push(long.subarray(0, 500));
  assert.equal(second.next(), READ.overBudget);
});

test('a meter that a large message has filled still takes modest ones, within a reserve', () => {
  const meterBytes = 1 << 20;
  const largeBytes = 2 * meterBytes;
  const meter = new ReassemblyMeter(meterBytes, null);
  const large = envelope(Buffer.alloc(largeBytes));
  const glutton = createReader(meter, largeBytes);
  glutton.push(large.subarray(0, meterBytes));
  assert.equal(glutton.next(), READ.needMore);
  const modest = envelope(Buffer.alloc(200_000));
  const outcomes = Array.from({ length: 3 }, () => {
    const neighbour = createReader(meter, largeBytes);
    neighbour.push(modest.subarray(0, 190_000));
    return neighbour.next();
  });
  assert.deepEqual(outcomes, [READ.needMore, READ.needMore, READ.overBudget]);
  glutton.push(large.subarray(meterBytes, meterBytes + 1000));
  assert.equal(glutton.next(), READ.overBudget);
});

test('a message in single bytes does not cost a view for each', () => {
  const reader = createReader();
  const body = Buffer.alloc(LIMIT_BYTES);
  for (let index = 0; index < body.length; index++) body[index] = index;
  const bytes = envelope(body);
  let parts: readonly Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at++) {
    reader.push(bytes.subarray(at, at + 1));
    if (reader.next() === READ.message) parts = reader.takeMessage().parts;
  }
  assert.ok(parts.length < 30, `${String(parts.length)} parts`);
  assert.deepEqual(Buffer.concat(parts), body);
});
