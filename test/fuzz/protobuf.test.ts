/** Our scanners against a protobuf library: where they say that a message is one, the library must read the same in it. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlsReader, LogReader, READ, type MessageReader } from '../../src/core/wire/index.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';
import { takeBytes, type Message } from '../../src/net/grpc/index.js';
import { cutRandomly, fuzz } from '../support/fuzzer.js';
import { encodeAccessLog } from '../support/independent-protocol.js';

interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Of fields with a length. */
  readonly body: Uint8Array | null;
}

/** Top-level fields as the library sees them. @throws When it does not read them. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    const body = type === WireType.LengthDelimited ? reader.bytes() : null;
    if (body === null) reader.skip(type, number);
    fields.push({ number, bytes: bytes.subarray(start, reader.pos), body });
  }
  return fields;
}

function messageOf(parts: readonly Uint8Array[]): Message {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return new SlicedMessage(
    parts.map((part) => Uint8Array.from(part)),
    length,
    length,
  );
}

interface Found {
  readonly code: number;
  readonly entries: number;
  readonly payload: string;
  readonly identity: string;
}

function read(reader: MessageReader, parts: readonly Uint8Array[]): Found {
  const code = reader.read(messageOf(parts), null);
  const payload = Buffer.from(takeBytes(reader.payload)).toString('hex');
  return { code, entries: reader.entries, payload, identity: Buffer.from(reader.identity ?? []).toString('hex') };
}

const NODE = { id: 'sidecar~10.0.0.1', cluster: 'shop' };
const ENTRIES = { log_entry: [{ request: { path: '/a' } }, { request: { path: '/b' } }] };
const EXAMPLES = [
  encodeAccessLog({ identifier: { node: NODE, log_name: 'http' }, http_logs: ENTRIES }),
  encodeAccessLog({ tcp_logs: { log_entry: [{ common: Buffer.alloc(200) }] } }),
  // Of all wire types, a group among them.
  Buffer.from('0801 1204 6162 6364 1d 01020304 21 0102030405060708 3b 3c'.replaceAll(' ', ''), 'hex'),
];

test('access logs: entries, identity and payload are what a protobuf library finds, however the message is cut', () => {
  const full = new AlsReader(false);
  const compact = new AlsReader(true);
  const report = fuzz({
    name: 'access-logs',
    examples: EXAMPLES,
    run: (input, random) => {
      const found = read(full, [input]);
      assert.deepEqual(read(full, cutRandomly(input, 1, random)), found);
      assert.deepEqual(read(full, cutRandomly(input, 20, random)), found);
      const cut = read(compact, cutRandomly(input, 7, random));
      assert.deepEqual([cut.code, cut.payload], [found.code, found.payload]);
      if (found.code !== READ.ok) return 'malformed';

      const fields = fieldsOf(input);
      const kept = fields.filter((field) => field.number !== 1 || field.body === null);
      assert.equal(found.payload, Buffer.concat(kept.map((field) => field.bytes)).toString('hex'));
      const logs = fields.filter((field) => field.body !== null && (field.number === 2 || field.number === 3));
      const last = logs.at(-1)?.number;
      const start = logs.findLastIndex((field) => field.number !== last) + 1;
      const inner = logs.slice(start).flatMap((field) => fieldsOf(field.body ?? new Uint8Array()));
      assert.equal(found.entries, inner.filter((field) => field.number === 1 && field.body !== null).length);
      const identifiers = fields.filter((field) => field.number === 1 && field.body !== null);
      const identity = Buffer.concat(identifiers.map((field) => field.body ?? new Uint8Array()));
      assert.ok(found.identity.endsWith(identity.toString('hex')));
      assert.equal(found.identity === '', identifiers.length === 0);
      return `${Math.min(found.entries, 5)} ${Math.min(identifiers.length, 3)} ${Math.min(kept.length, 8)}`;
    },
  });
  assert.ok(report.answers > 6, `${report.answers} answers`);
});

test('logs: the service is what a protobuf library finds, and nothing else is cut', () => {
  const reader = new LogReader();
  const report = fuzz({
    name: 'logs',
    examples: [Buffer.from('0801 1204 73686f70 1a00'.replaceAll(' ', ''), 'hex'), ...EXAMPLES],
    run: (input, random) => {
      const found = read(reader, [input]);
      assert.deepEqual(read(reader, cutRandomly(input, 1, random)), found);
      assert.deepEqual(read(reader, cutRandomly(input, 20, random)), found);
      if (found.code !== READ.ok) return 'malformed';
      const fields = fieldsOf(input);
      const isService = (field: Field): boolean => field.number === 2 && field.body !== null;
      const kept = fields.filter((field) => !isService(field) || field.body?.length !== 0);
      assert.equal(found.payload, Buffer.concat(kept.map((field) => field.bytes)).toString('hex'));
      const service = kept.findLast(isService);
      assert.equal(found.identity, Buffer.from(service?.bytes ?? []).toString('hex'));
      return `${Math.min(fields.length, 8)} ${kept.length === fields.length} ${found.identity !== ''}`;
    },
  });
  assert.ok(report.answers > 6, `${report.answers} answers`);
});
