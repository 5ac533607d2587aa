import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutgoingCall } from '../../../../src/net/grpc/client-call.js';
import { GRPC_STATUS } from '../../../../src/net/grpc/index.js';
import type { IncomingCall } from '../../../../src/net/grpc/server-call.js';
import type { Http2StreamHandle } from '../../../../src/net/http2/contract.js';
import { H2_CANCEL } from '../../../../src/net/http2/errors.js';
import { LIMIT_BYTES, Pair, Recorder, type Split } from './pair.js';

const PATH = '/test.Service/Method';

for (const split of ['whole', 'bytes', 'random'] satisfies Split[]) {
  test(`messages, reply and status pass with chunks cut: ${split}`, () => {
    const pair = new Pair(split);
    const handler = new Recorder();
    pair.server.register(PATH, handler);
    const messages = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(40_000, 3), Buffer.from('four')];
    const record = pair.run(PATH, messages);
    assert.deepEqual(handler.messages, messages);
    assert.deepEqual(record.messages, [Buffer.from('4')]);
    assert.equal(record.status?.code, 0);
    assert.equal(record.status.isLocal, false);
    assert.equal(record.statusCount, 1);
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(pair.meter.usedBytes, 0);
    assert.equal(pair.server.callCount, 0);
    assert.equal(pair.client.openStreams, 0);
  });
}

test('a message larger than the stream window completes', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.alloc(LIMIT_BYTES, 1)], LIMIT_BYTES);
  record.call.halfClose();
  pair.pump();
  assert.equal(handler.messages[0]?.length, LIMIT_BYTES);
  assert.equal(record.status?.code, 0);
});

test('metadata, authority and peer reach the handler', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  pair.run(PATH, [Buffer.from('x')], { metadata: ['authentication', 'secret', 'blob-bin', 'AP8'] });
  const call = handler.calls[0]!;
  assert.equal(call.path, PATH);
  assert.deepEqual(call.peer, { host: '10.0.0.1', port: 4711, isTls: false });
  const fields = [...call.metadata];
  assert.equal(fields[fields.indexOf('authentication') + 1], 'secret');
  assert.equal(fields[fields.indexOf(':authority') + 1], 'satellite.test');
  assert.equal(fields[fields.indexOf('te') + 1], 'trailers');
});

test('an error without messages is sent as trailers only, its text intact', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onCall = (call) => {
    call.finish(GRPC_STATUS.INVALID_ARGUMENT, 'naïve: 100%', ['detail', 'more']);
  };
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  pair.pump();
  assert.equal(record.status?.code, GRPC_STATUS.INVALID_ARGUMENT);
  assert.equal(record.status.message, 'naïve: 100%');
  assert.equal(record.status.trailers[record.status.trailers.indexOf('detail') + 1], 'more');
  assert.deepEqual(handler.ends, ['finished']);
  assert.equal(record.call.isEnded, true);
  assert.equal(pair.serverEngine.openStreams, 0);
});

test('an unknown path is UNIMPLEMENTED and named', () => {
  const pair = new Pair();
  const record = pair.run('/no.Such/Method', [Buffer.from('x')]);
  assert.equal(record.status?.code, GRPC_STATUS.UNIMPLEMENTED);
  assert.match(record.status.message, /\/no\.Such\/Method/);
  assert.deepEqual(pair.unknownMethods, ['/no.Such/Method']);
  assert.equal(pair.server.counters.unknownMethods, 1);
});

test('an oversized message ends its call only, with both sizes, before it is buffered', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const healthy = pair.open(PATH);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.alloc(LIMIT_BYTES + 1)], LIMIT_BYTES + 1);
  pair.pump();
  assert.equal(record.status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
  assert.equal(record.status.message, 'message of 200001 bytes is larger than the limit of 200000 bytes');
  assert.equal(pair.meter.usedBytes, 0);
  healthy.call.sendMessage([Buffer.from('fine')], 4);
  healthy.call.halfClose();
  pair.pump();
  assert.equal(healthy.status?.code, 0);
  assert.deepEqual(handler.messages, [Buffer.from('fine')]);
  assert.match(handler.ends[0]!, /^cancelled: message of 200001/);
});

test('an oversized response ends the call at the client', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onHalfClose = (call) => {
    call.sendMessage([Buffer.alloc(LIMIT_BYTES + 1)], LIMIT_BYTES + 1);
    call.finish(0);
  };
  pair.server.register(PATH, handler);
  const record = pair.run(PATH, []);
  assert.equal(record.status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
  assert.equal(record.status.isLocal, true);
  assert.equal(pair.client.openStreams, 0);
});

test('a cancelled call tells the handler, and keeps what was delivered', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.from('kept')], 4);
  pair.pump();
  record.call.cancel('no longer wanted');
  record.call.cancel('twice');
  pair.pump();
  assert.equal(record.status?.code, GRPC_STATUS.CANCELLED);
  assert.equal(record.statusCount, 1);
  assert.deepEqual(handler.messages, [Buffer.from('kept')]);
  assert.match(handler.ends[0]!, /^cancelled/);
  assert.equal(handler.calls[0]!.isEnded, true);
});

test('the deadline travels and ends the call on both sides', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onHalfClose = () => undefined;
  pair.server.register(PATH, handler);
  const record = pair.run(PATH, [Buffer.from('x')], { deadlineMs: pair.clock.now() + 5000 });
  assert.equal(handler.calls[0]!.deadlineMs, pair.clock.now() + 5000);
  pair.clock.advance(4900);
  assert.equal(record.status, null);
  pair.clock.advance(300);
  assert.equal(record.status!.code, GRPC_STATUS.DEADLINE_EXCEEDED);
  assert.deepEqual(handler.ends, ['cancelled: deadline exceeded']);
  assert.equal(pair.wheel.size, 0);
});

test('a server that cancels what is past its deadline before our timer fires ends it as DEADLINE_EXCEEDED', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH, { deadlineMs: pair.clock.now() + 1 });
  const other = pair.open(PATH, { deadlineMs: pair.clock.now() + 5000 });
  pair.pump();
  pair.clock.advance(1);
  assert.equal(record.status, null);
  for (const call of handler.calls) (call as unknown as { stream: Http2StreamHandle }).stream.reset(H2_CANCEL);
  pair.pump();
  assert.equal(record.status!.code, GRPC_STATUS.DEADLINE_EXCEEDED);
  assert.equal(other.status!.code, GRPC_STATUS.CANCELLED);
});

test('headers of a response that the handler sends ahead arrive with its fields, once', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onCall = (call) => {
    (call as IncomingCall).sendHeaders(['x-early', 'yes']);
    (call as IncomingCall).sendHeaders(['x-late', 'no']);
  };
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  pair.pump();
  const { headers } = record.call as OutgoingCall;
  assert.equal(headers[headers.indexOf('x-early') + 1], 'yes');
  assert.ok(!headers.includes('x-late'));
  assert.equal(record.status, null);
});

test('a malformed timeout is refused without troubling the handler', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.run(PATH, [], { metadata: ['grpc-timeout', 'soon'] });
  assert.equal(record.status?.code, GRPC_STATUS.INTERNAL);
  assert.equal(handler.calls.length + handler.ends.length, 0);
  assert.equal(pair.server.callCount, 0);
});

test('a handler that throws ends its call with INTERNAL; others go on', () => {
  const pair = new Pair();
  const healthy = new Recorder();
  const broken = new Recorder();
  broken.onMessage = () => {
    throw new Error('a bug');
  };
  pair.server.register(PATH, healthy);
  pair.server.register('/test.Service/Broken', broken);
  const failing = pair.run('/test.Service/Broken', [Buffer.from('x'), Buffer.from('y')]);
  const record = pair.run(PATH, [Buffer.from('x')]);
  assert.equal(failing.status?.code, GRPC_STATUS.INTERNAL);
  assert.equal(failing.status.message, 'internal error');
  assert.equal(record.status?.code, 0);
  assert.equal(pair.bugs.length, 1);
  assert.equal(pair.server.counters.handlerErrors, 1);
  assert.equal(broken.ends.length, 1);
});

test('a call that ends within a message is INTERNAL', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const headers = [':method', 'POST', ':scheme', 'http', ':path', PATH, 'content-type', 'application/grpc'];
  let status = '';
  const stream = pair.clientEngine.openStream(
    headers,
    false,
    {
      onHeaders: (_stream, fields) => (status = fields[fields.indexOf('grpc-message') + 1]!),
      onData: () => undefined,
      onReset: () => undefined,
      onDrain: () => undefined,
    },
    null,
  )!;
  stream.sendData([Buffer.from([0, 0, 0, 0, 9, 1, 2])], 7, true);
  pair.pump();
  assert.equal(status, 'the call ended within a message, 7 bytes short');
  assert.equal(handler.halfCloses, 0);
});

test('messages and replies flow both ways in turns', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onMessage = (call, message) => {
    call.sendMessage(message.parts, message.length);
  };
  handler.onHalfClose = (call) => {
    call.finish(0, 'bye');
  };
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  for (const text of ['a', 'bb', 'ccc']) {
    record.call.sendMessage([Buffer.from(text)], text.length);
    pair.pump();
    assert.equal(record.messages.at(-1)?.toString(), text);
  }
  assert.equal(record.status, null);
  record.call.halfClose();
  pair.pump();
  assert.equal(record.status!.message, 'bye');
});

test('a server that answers early stops the upload', () => {
  const pair = new Pair();
  const handler = new Recorder();
  handler.onMessage = (call) => {
    call.finish(0);
  };
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.from('x')], 1);
  pair.pump();
  assert.equal(record.status?.code, 0);
  assert.equal(pair.clientEngine.openStreams, 0);
  assert.equal(pair.serverEngine.openStreams, 0);
  assert.deepEqual(handler.ends, ['finished']);
});

test('a paused call takes no more than its window; the last resume lets it go on', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  pair.pump();
  const call = handler.calls[0]!;
  call.pause();
  call.pause();
  const body = Buffer.alloc(100_000);
  for (let count = 0; count < 30; count++) record.call.sendMessage([body], body.length);
  pair.pump();
  assert.ok(handler.messages.length <= 11, `${String(handler.messages.length)} messages`);
  assert.ok(record.call.unsentBytes > 1_800_000);
  call.resume();
  pair.pump();
  assert.ok(record.call.unsentBytes > 1_800_000);
  call.resume();
  pair.pump();
  assert.equal(handler.messages.length, 30);
  assert.equal(record.call.unsentBytes, 0);
});

test('a paused call does not hold back its neighbours on the connection', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const blocked = pair.open(PATH);
  pair.pump();
  handler.calls[0]!.pause();
  for (let count = 0; count < 300; count++) blocked.call.sendMessage([Buffer.alloc(100_000)], 100_000);
  pair.pump();
  const before = handler.messages.length;
  const free = pair.run(
    PATH,
    Array.from({ length: 40 }, () => Buffer.alloc(100_000)),
  );
  assert.equal(free.status?.code, 0);
  assert.equal(handler.messages.length, before + 40);
});

test('a lost connection ends calls on both sides, as UNAVAILABLE at the caller', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.from('x')], 1);
  pair.pump();
  pair.client.destroy('the socket broke');
  pair.serverEngine.abort('reset by the peer');
  assert.equal(record.status?.code, GRPC_STATUS.UNAVAILABLE);
  assert.equal(record.status.message, 'the socket broke');
  assert.equal(record.status.isLocal, true);
  assert.equal(record.status.isUnprocessed, false);
  assert.deepEqual(handler.ends, ['cancelled: reset by the peer']);
  assert.equal(pair.client.freeStreams, 0);
});

test('a call whose request never left is known to be unprocessed', () => {
  const pair = new Pair();
  const record = pair.open(PATH);
  pair.client.destroy('the socket broke');
  assert.equal(record.status?.isUnprocessed, true);
});

test('slots follow MAX_CONCURRENT_STREAMS', () => {
  const pair = new Pair('whole', 2);
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  assert.equal(pair.client.maxConcurrentStreams, 2);
  const first = pair.open(PATH);
  pair.open(PATH);
  assert.equal(pair.client.freeStreams, 0);
  assert.equal(pair.client.openCall(PATH, { onMessage: () => undefined, onStatus: () => undefined }, {}), null);
  first.call.halfClose();
  pair.pump();
  assert.deepEqual(pair.freeStreamEvents, [1]);
});

test('a draining server ends a streaming call after its next message, as if half-closed', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH);
  record.call.sendMessage([Buffer.from('a')], 1);
  pair.pump();
  pair.served.drainCalls(false);
  pair.pump();
  assert.equal(record.status, null);
  record.call.sendMessage([Buffer.from('b')], 1);
  pair.pump();
  assert.equal(record.status!.code, 0);
  assert.deepEqual(record.messages, [Buffer.from('2')]);
});

test('a quiet call is ended at once when the drain says so, but never within a message', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const quiet = pair.open(PATH);
  const busy = pair.open(PATH);
  pair.pump();
  handler.calls[1]!.pause();
  for (let count = 0; count < 15; count++) busy.call.sendMessage([Buffer.alloc(100_000)], 100_000);
  pair.pump();
  pair.served.drainCalls(true);
  pair.pump();
  assert.equal(quiet.status?.code, 0);
  assert.equal(busy.status, null);
});

test('a duplicate path is refused', () => {
  const pair = new Pair();
  pair.server.register(PATH, new Recorder());
  assert.throws(() => {
    pair.server.register(PATH, new Recorder());
  }, /registered twice/);
});

test('GOAWAY "too_many_pings" is told apart', () => {
  const pair = new Pair();
  pair.serverEngine.goAway(0xb, 0, 'too_many_pings');
  pair.pump();
  assert.equal(pair.tooManyPings, 1);
  assert.deepEqual(pair.draining, ['ENHANCE_YOUR_CALM: too_many_pings']);
});
