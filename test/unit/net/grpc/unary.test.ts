import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  callUnary,
  GRPC_STATUS,
  statusError,
  unaryMethod,
  unaryResponse,
  type UnaryReply,
} from '../../../../src/net/grpc/index.js';
import { Pair } from './pair.js';

const PATH = '/test.Service/Unary';

async function call(pair: Pair, request: string): Promise<UnaryReply> {
  const promise = callUnary(pair.client, PATH, Buffer.from(request));
  for (let round = 0; round < 5; round++) {
    pair.pump();
    await Promise.resolve();
    await Promise.resolve();
  }
  pair.pump();
  return promise;
}

test('a unary method answers with what its function returns, at once or later', async () => {
  const pair = new Pair();
  pair.server.register(
    PATH,
    unaryMethod(async (request, context) => {
      await Promise.resolve();
      assert.equal(context.peer.host, '10.0.0.1');
      return Buffer.from(`re: ${Buffer.from(request).toString()}`);
    }),
  );
  const reply = await call(pair, 'hello');
  assert.equal(reply.status.code, 0);
  assert.equal(Buffer.from(unaryResponse(reply)).toString(), 're: hello');
});

test('a status error of the function is the status of the call', async () => {
  const pair = new Pair();
  pair.server.register(
    PATH,
    unaryMethod(() => {
      throw statusError(GRPC_STATUS.NOT_FOUND, 'no such thing');
    }),
  );
  const reply = await call(pair, 'x');
  assert.equal(reply.status.code, GRPC_STATUS.NOT_FOUND);
  assert.equal(reply.response, null);
  assert.throws(() => unaryResponse(reply), /NOT_FOUND: no such thing/);
});

test('any other error is INTERNAL, told to us and not to the caller', async () => {
  const pair = new Pair();
  const bugs: unknown[] = [];
  pair.server.register(
    PATH,
    unaryMethod(
      () => {
        throw new Error('secret detail');
      },
      (error) => bugs.push(error),
    ),
  );
  const reply = await call(pair, 'x');
  assert.equal(reply.status.code, GRPC_STATUS.INTERNAL);
  assert.equal(reply.status.message, 'internal error');
  assert.equal(bugs.length, 1);
});

test('none or two messages where one belongs end the call', async () => {
  const pair = new Pair();
  pair.server.register(
    PATH,
    unaryMethod((request) => request),
  );
  assert.equal(pair.run(PATH, []).status?.code, GRPC_STATUS.UNIMPLEMENTED);
  const two = pair.run(PATH, [Buffer.from('a'), Buffer.from('b')]);
  assert.equal(two.status?.code, GRPC_STATUS.UNIMPLEMENTED);
  assert.equal(pair.blocks.heldBytes, 0);
  pair.server.register('/test.Service/Silent', {
    onCall: () => undefined,
    onMessage: () => undefined,
    onHalfClose: (serverCall) => {
      serverCall.finish(0);
    },
    onEnd: () => undefined,
  });
  const promise = callUnary(pair.client, '/test.Service/Silent', Buffer.alloc(0));
  pair.pump();
  assert.equal((await promise).status.code, GRPC_STATUS.INTERNAL);
});

test('without a free stream the call is UNAVAILABLE and unprocessed', async () => {
  const pair = new Pair();
  pair.client.drain();
  const reply = await callUnary(pair.client, PATH, Buffer.alloc(0));
  assert.equal(reply.status.code, GRPC_STATUS.UNAVAILABLE);
  assert.equal(reply.status.isUnprocessed, true);
});
