import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeBytes, ReassemblyMeter } from '../../src/net/grpc/index.js';
import { MessageReader, READ } from '../../src/net/grpc/message-reader.js';
import { cutRandomly, fuzz } from '../support/fuzzer.js';

const LIMIT_BYTES = 300;
const METER_BYTES = 100_000;

function framed(flag: number, body: Uint8Array): Buffer {
  const prefix = Buffer.from([flag, 0, 0, 0, 0]);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

/** What must come out, read the simple way. */
function expected(input: Buffer): string[] {
  const read: string[] = [];
  for (let at = 0; at + 5 <= input.length;) {
    const flag = input[at] ?? 0;
    const length = input.readUInt32BE(at + 1);
    if (flag > 1) return [...read, `code ${READ.badFlag}`];
    if (length > LIMIT_BYTES) return [...read, `code ${READ.tooLarge}`];
    if (at + 5 + length > input.length) break;
    read.push(`${flag} ${input.subarray(at + 5, at + 5 + length).toString('hex')}`);
    at += 5 + length;
  }
  return read;
}

function actual(chunks: readonly Uint8Array[]): string[] {
  const meter = new ReassemblyMeter(METER_BYTES, null);
  const reader = new MessageReader(LIMIT_BYTES, meter);
  const read: string[] = [];
  for (const chunk of chunks) {
    const lent = Uint8Array.from(chunk);
    reader.push(lent);
    for (let code = reader.next(); code !== READ.needMore; code = reader.next()) {
      if (code > READ.compressed) {
        reader.release();
        assert.equal(meter.usedBytes, 0);
        return [...read, `code ${code}`];
      }
      const message = reader.takeMessage();
      assert.equal(
        message.parts.reduce((sum, part) => sum + part.length, 0),
        message.length,
      );
      assert.ok(message.pinnedBytes >= message.length);
      read.push(`${code === READ.compressed ? 1 : 0} ${Buffer.from(takeBytes(message)).toString('hex')}`);
    }
    assert.equal(reader.position, chunk.length);
    lent.fill(0xdb);
  }
  reader.release();
  assert.equal(meter.usedBytes, 0);
  return read;
}

test('whatever the bytes and their cuts, the same messages come out, and nothing stays charged', () => {
  const report = fuzz({
    name: 'grpc-messages',
    examples: [
      framed(0, Buffer.from('hello')),
      Buffer.concat([framed(0, Buffer.alloc(0)), framed(1, Buffer.from('two')), framed(0, Buffer.alloc(250, 7))]),
      framed(0, Buffer.alloc(LIMIT_BYTES + 1)),
    ],
    run: (bytes, random) => {
      const input = Buffer.from(bytes);
      const messages = expected(input);
      assert.deepEqual(actual([input]), messages);
      assert.deepEqual(actual(cutRandomly(input, 1, random)), messages);
      assert.deepEqual(actual(cutRandomly(input, 40, random)), messages);
      return messages.map((message) => `${message.slice(0, 1)}${Math.ceil(Math.log2(message.length))}`).join(' ');
    },
  });
  assert.ok(report.answers > 6, `${report.answers} answers`);
});
