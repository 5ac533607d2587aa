import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer, type TestServer } from './rig.js';

test('a client-streaming call exchanges messages over real sockets', async () => {
  const received: string[] = [];
  const rig: TestServer = await startServer((registry) => {
    registry.register('/test.Log/collect', {
      onCall: () => undefined,
      onMessage: (_call, message) => received.push(Buffer.concat(message.parts).toString()),
      onHalfClose: (call) => {
        const reply = Buffer.from(`got ${String(received.length)}`);
        call.sendMessage([reply], reply.length);
        call.finish(0);
      },
      onEnd: () => undefined,
    });
  });
  const outcome = await rig.clientStream('/test.Log/collect', ['one', 'two', 'three']);
  assert.deepEqual(received, ['one', 'two', 'three']);
  assert.equal(outcome.status.code, 0);
  assert.deepEqual(outcome.messages, ['got 3']);
  await rig.close();
});
