import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { GRPC_STATUS } from '../../../../src/net/grpc/index.js';
import type { IncomingCall } from '../../../../src/net/grpc/server-call.js';
import { LIMIT_BYTES, Pair, Recorder, type RecordedCall } from './pair.js';

const PATH = '/test.Service/Method';
const LARGE_LIMIT_BYTES = 8 * 1024 * 1024;

/** Inflating large messages takes turns of the event loop. */
async function settle(pair: Pair, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await nextTurn();
    pair.pump();
  }
}

/** Opens a raw stream and sends envelopes as they are given. */
function sendRaw(
  pair: Pair,
  encoding: string | null,
  envelopes: readonly (readonly [number, Uint8Array])[],
): RecordedCall {
  const metadata = encoding === null ? [] : ['grpc-encoding', encoding];
  const record = pair.open(PATH, { metadata });
  const stream = (
    record.call as unknown as { stream: { sendData(parts: Uint8Array[], n: number, end: boolean): void } }
  ).stream;
  for (const [flag, body] of envelopes) {
    const prefix = Buffer.alloc(5);
    prefix[0] = flag;
    prefix.writeUInt32BE(body.length, 1);
    stream.sendData([prefix, body], body.length + 5, false);
  }
  record.call.halfClose();
  pair.pump();
  return record;
}

for (const compression of ['gzip', 'deflate'] as const) {
  test(`${compression} passes both ways`, () => {
    const pair = new Pair('random');
    const handler = new Recorder();
    handler.onHalfClose = (call) => {
      (call as IncomingCall).compressWith(compression);
      const reply = Buffer.alloc(50_000, 5);
      call.sendMessage([reply], reply.length);
      call.finish(0);
    };
    pair.server.register(PATH, handler);
    const messages = [Buffer.from('small'), Buffer.alloc(0), Buffer.alloc(100_000, 1)];
    const record = pair.run(PATH, messages, { compression });
    assert.deepEqual(handler.messages, messages);
    assert.deepEqual(record.messages, [Buffer.alloc(50_000, 5)]);
    assert.equal(record.status?.code, 0);
  });
}

test('a small inflated message does not pin the buffer of zlib', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  pair.run(PATH, [Buffer.from('tiny')], { compression: 'gzip' });
  assert.ok(handler.pinned[0]! < 100);
});

test('compressed and plain messages keep their order, also when inflating takes turns', async () => {
  const pair = new Pair('whole', 100, LARGE_LIMIT_BYTES);
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const large = Buffer.concat([randomBytes(200_000), Buffer.alloc(2_000_000)]);
  const record = sendRaw(pair, 'gzip', [
    [0, Buffer.from('first')],
    [1, gzipSync(large)],
    [0, Buffer.from('third')],
    [1, gzipSync('fourth')],
  ]);
  assert.equal(handler.messages.length, 1);
  await settle(pair, () => record.status !== null);
  assert.deepEqual(handler.messages, [Buffer.from('first'), large, Buffer.from('third'), Buffer.from('fourth')]);
  assert.equal(record.status?.code, 0);
  assert.equal(pair.meter.usedBytes, 0);
  assert.equal(pair.blocks.heldBytes, 0);
});

test('messages that arrived before the connection broke are inflated and delivered before the end', async () => {
  const pair = new Pair('whole', 100, LARGE_LIMIT_BYTES);
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH, { compression: 'gzip' });
  const large = randomBytes(300_000);
  record.call.sendMessage([large], large.length);
  pair.pump();
  pair.serverEngine.abort('reset by the peer');
  assert.deepEqual(handler.ends, []);
  await settle(pair, () => handler.ends.length > 0);
  assert.deepEqual(handler.messages, [large]);
  assert.deepEqual(handler.ends, ['cancelled: reset by the peer']);
});

test('a bomb is stopped at the limit: small ones in the turn, large ones while inflating', async () => {
  const small = new Pair();
  small.server.register(PATH, new Recorder());
  const first = sendRaw(small, 'gzip', [[1, gzipSync(Buffer.alloc(LIMIT_BYTES + 1))]]);
  assert.equal(first.status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
  assert.match(first.status.message, /inflates to more than the limit of 200000 bytes/);
  const large = new Pair('whole', 100, LARGE_LIMIT_BYTES);
  const handler = new Recorder();
  large.server.register(PATH, handler);
  const second = sendRaw(large, 'deflate', [[1, deflateSync(Buffer.alloc(64 * 1024 * 1024))]]);
  await settle(large, () => second.status !== null);
  assert.equal(second.status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
  assert.equal(handler.messages.length, 0);
  assert.equal(large.meter.usedBytes, 0);
  assert.equal(large.blocks.heldBytes + small.blocks.heldBytes, 0);
});

test('a message that takes turns to inflate does not keep its block', async () => {
  const pair = new Pair('whole', 100, LARGE_LIMIT_BYTES);
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const large = Buffer.concat([randomBytes(10_000), Buffer.alloc(2_000_000)]);
  const record = sendRaw(pair, 'gzip', [[1, gzipSync(large)]]);
  assert.equal(pair.blocks.heldBytes, 0);
  await settle(pair, () => record.status !== null);
  assert.deepEqual(handler.messages, [large]);
});

test('a call that is cancelled while a message inflates leaves nothing behind', async () => {
  const pair = new Pair('whole', 100, LARGE_LIMIT_BYTES);
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH, { compression: 'gzip' });
  const large = randomBytes(500_000);
  record.call.sendMessage([large], large.length);
  pair.pump();
  handler.calls[0]!.finish(GRPC_STATUS.ABORTED, 'enough');
  pair.pump();
  assert.equal(record.status?.code, GRPC_STATUS.ABORTED);
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  assert.equal(pair.meter.usedBytes, 0);
  assert.equal(pair.blocks.heldBytes, 0);
  assert.deepEqual(handler.messages, []);
});

test('garbage, a missing encoding and an unknown encoding each have their status', () => {
  const pair = new Pair();
  pair.server.register(PATH, new Recorder());
  const garbage = sendRaw(pair, 'gzip', [[1, Buffer.from('not gzip at all')]]);
  assert.equal(garbage.status?.code, GRPC_STATUS.INTERNAL);
  assert.equal(garbage.status.message, 'message is not valid gzip');
  const missing = sendRaw(pair, null, [[1, gzipSync('x')]]);
  assert.equal(missing.status?.code, GRPC_STATUS.INTERNAL);
  assert.equal(pair.blocks.heldBytes, 0);
  const unknown = sendRaw(pair, 'zstd', [[1, Buffer.from('x')]]);
  assert.equal(unknown.status?.code, GRPC_STATUS.UNIMPLEMENTED);
  const { trailers } = unknown.status;
  assert.equal(trailers[trailers.indexOf('grpc-accept-encoding') + 1], 'identity,deflate,gzip');
});
