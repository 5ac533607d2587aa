/** What a caller has sent before it saw the answer to a drain. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, test } from 'node:test';
import { GRPC_STATUS } from '../../../../src/net/grpc/index.js';
import { LINGER_MS } from '../../../../src/net/grpc/server-call.js';
import type { Http2StreamEvents, Http2StreamHandle } from '../../../../src/net/http2/contract.js';
import { H2_CANCEL, H2_NO_ERROR } from '../../../../src/net/http2/errors.js';
import { eventually } from '../../../support/eventually.js';
import { LIMIT_BYTES, Pair, Recorder, type Split } from './pair.js';

const PATH = '/test.Service/Method';
const REQUEST = [':method', 'POST', ':scheme', 'http', ':path', PATH, 'content-type', 'application/grpc'];
/** One tick of the wheel later than it is due. */
const PAST_LINGER_MS = LINGER_MS + 100;

/** A caller whose answer is still on its way: it does with its stream what it likes. */
class Caller implements Http2StreamEvents {
  readonly stream: Http2StreamHandle;
  resetCode = -1;
  hasAnswer = false;
  private readonly pair: Pair;

  constructor(pair: Pair, fields: readonly string[] = []) {
    this.pair = pair;
    this.stream = pair.clientEngine.openStream([...REQUEST, ...fields], false, this, null)!;
    pair.pump();
  }

  send(...texts: string[]): void {
    this.sendBytes(...texts.map((text) => envelope(Buffer.from(text))));
  }

  sendBytes(...parts: Uint8Array[]): void {
    const bytes = Buffer.concat(parts);
    this.stream.sendData([bytes], bytes.length, false);
    this.pair.pump();
  }

  onHeaders(_stream: Http2StreamHandle, _headers: readonly string[], endStream: boolean): void {
    this.hasAnswer = endStream;
  }

  onData(): void {
    // The reply is of no interest here.
  }

  onReset(_stream: Http2StreamHandle, errorCode: number): void {
    this.resetCode = errorCode;
  }

  onDrain(): void {
    // It never has much to send.
  }
}

function envelope(body: Buffer, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag, 0);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

function drained(handler: Recorder, split: Split = 'whole', fields: readonly string[] = []): [Pair, Caller] {
  const pair = new Pair(split);
  pair.server.register(PATH, handler);
  const caller = new Caller(pair, fields);
  caller.send('before');
  pair.served.drainCalls(true);
  pair.pump();
  assert.equal(caller.hasAnswer, true);
  return [pair, caller];
}

function textsOf(handler: Recorder): string[] {
  return handler.messages.map(String);
}

for (const split of ['whole', 'bytes', 'random'] satisfies Split[]) {
  test(`messages that cross the answer to a drain are delivered before the end, with chunks cut: ${split}`, () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler, split);
    caller.send('crossing', 'too');
    caller.send('and this');
    assert.deepEqual(textsOf(handler), ['before', 'crossing', 'too', 'and this']);
    assert.deepEqual(handler.ends, []);
    caller.stream.reset(H2_CANCEL);
    pair.pump();
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(handler.halfCloses, 1);
    assert.equal(caller.resetCode, -1);
    assert.equal(pair.server.callCount, 0);
    assert.equal(pair.serverEngine.openStreams, 0);
    assert.equal(pair.meter.usedBytes, 0);
    assert.equal(pair.wheel.size, 0);
  });
}

test('what came in one piece with the message that ended the call is delivered', () => {
  const pair = new Pair();
  const handler = new Recorder(true);
  pair.server.register(PATH, handler);
  const caller = new Caller(pair);
  pair.served.drainCalls(false);
  caller.send('first', 'second', 'third');
  assert.deepEqual(textsOf(handler), ['first', 'second', 'third']);
  assert.equal(handler.halfCloses, 1);
});

describe('a drained call ends', () => {
  test('with the caller’s END_STREAM', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    caller.stream.sendData([envelope(Buffer.from('last'))], 9, true);
    pair.pump();
    assert.deepEqual(textsOf(handler), ['before', 'last']);
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(handler.halfCloses, 1);
    assert.equal(pair.serverEngine.openStreams, 0);
    assert.equal(pair.wheel.size, 0);
  });

  test('with its connection', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    caller.send('crossing');
    pair.serverEngine.abort('reset by the peer');
    assert.deepEqual(textsOf(handler), ['before', 'crossing']);
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(pair.wheel.size, 0);
  });

  test('after a while, when the caller pays no heed: it hears that nobody listens', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    caller.send('crossing');
    pair.clock.advance(LINGER_MS - 1);
    caller.send('still in time');
    assert.deepEqual(handler.ends, []);
    pair.clock.advance(PAST_LINGER_MS - LINGER_MS + 1);
    assert.deepEqual(handler.ends, ['finished']);
    caller.send('too late');
    assert.equal(caller.resetCode, H2_NO_ERROR);
    assert.deepEqual(textsOf(handler), ['before', 'crossing', 'still in time']);
    assert.equal(pair.serverEngine.openStreams, 0);
    assert.equal(pair.server.callCount, 0);
  });

  test('at once, with the reason, when a late message is too large', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    caller.sendBytes(envelope(Buffer.alloc(LIMIT_BYTES + 1)));
    assert.match(handler.ends.join(), /^cancelled: message of 200001/);
    assert.equal(caller.resetCode, H2_NO_ERROR);
    assert.equal(pair.meter.usedBytes, 0);
    assert.equal(pair.wheel.size, 0);
  });

  test('at once when its handler throws on a late message', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    handler.onMessage = () => {
      throw new Error('a bug');
    };
    caller.send('crossing');
    assert.equal(pair.bugs.length, 1);
    assert.deepEqual(handler.ends, ['cancelled: internal error']);
    assert.equal(caller.resetCode, H2_NO_ERROR);
  });

  test('without a late message that the caller breaks off', () => {
    const handler = new Recorder(true);
    const [pair, caller] = drained(handler);
    caller.sendBytes(envelope(Buffer.from('whole')), envelope(Buffer.from('half')).subarray(0, 7));
    caller.stream.reset(H2_CANCEL);
    pair.pump();
    assert.deepEqual(textsOf(handler), ['before', 'whole']);
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(pair.meter.usedBytes, 0);
  });
});

test('late messages that are still being inflated when the caller stops are delivered', async () => {
  const handler = new Recorder(true);
  const [pair, caller] = drained(handler, 'whole', ['grpc-encoding', 'gzip']);
  const large = Buffer.alloc(LIMIT_BYTES, 'x');
  caller.sendBytes(envelope(gzipSync(large), 1), envelope(Buffer.from('behind')));
  caller.stream.reset(H2_CANCEL);
  pair.pump();
  await eventually({ until: 'the call has ended', withinMs: 5000, everyMs: 5 }, () => handler.ends[0]);
  assert.deepEqual(handler.messages, [Buffer.from('before'), large, Buffer.from('behind')]);
  assert.deepEqual(handler.ends, ['finished']);
  assert.equal(pair.meter.usedBytes, 0);
});

test('the deadline of a call ends with its answer', () => {
  const handler = new Recorder(true);
  const [pair, caller] = drained(handler, 'whole', ['grpc-timeout', `${LINGER_MS / 2}m`]);
  pair.clock.advance(LINGER_MS - 1);
  caller.send('crossing');
  assert.deepEqual(textsOf(handler), ['before', 'crossing']);
  assert.deepEqual(handler.ends, []);
});

test('credit goes on returning, so that a late message of any size completes', () => {
  const pair = new Pair();
  const handler = new Recorder(true);
  pair.server.register(PATH, handler);
  const caller = new Caller(pair);
  pair.served.drainCalls(true);
  pair.pump();
  const body = Buffer.alloc(LIMIT_BYTES, 1);
  for (let count = 0; count < 15; count++) caller.sendBytes(envelope(body));
  assert.equal(handler.messages.length, 15);
});

test('an answer that waits for the handler is an answer to the drain all the same', () => {
  const pair = new Pair();
  const handler = new Recorder(true);
  handler.onHalfClose = () => undefined;
  pair.server.register(PATH, handler);
  const caller = new Caller(pair);
  pair.served.drainCalls(true);
  caller.send('before the answer');
  handler.calls[0]!.finish(GRPC_STATUS.UNAVAILABLE, 'not all was kept');
  handler.calls[0]!.finish(0);
  caller.send('after it');
  assert.deepEqual(textsOf(handler), ['before the answer', 'after it']);
  assert.deepEqual(handler.ends, []);
});

describe('nothing follows the answer', () => {
  test('of a handler that takes no late messages', () => {
    const handler = new Recorder();
    const [pair, caller] = drained(handler);
    assert.deepEqual(handler.ends, ['finished']);
    assert.equal(caller.resetCode, H2_NO_ERROR);
    caller.send('crossing');
    assert.deepEqual(textsOf(handler), ['before']);
    assert.equal(pair.serverEngine.openStreams, 0);
  });

  test('that a handler gives by itself, drain or not', () => {
    const pair = new Pair();
    const handler = new Recorder(true);
    pair.server.register(PATH, handler);
    handler.onMessage = (call) => {
      call.finish(GRPC_STATUS.INVALID_ARGUMENT);
    };
    const before = new Caller(pair);
    const draining = new Caller(pair);
    before.send('refused');
    pair.served.drainCalls(false);
    draining.send('refused too');
    assert.deepEqual(handler.ends, ['finished', 'finished']);
    assert.deepEqual([before.resetCode, draining.resetCode], [H2_NO_ERROR, H2_NO_ERROR]);
  });
});
