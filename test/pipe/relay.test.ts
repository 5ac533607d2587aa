import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OUTCOME } from '../../src/core/channel.js';
import { TEST_BLOCKS } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { PipeRig } from '../support/pipe-rig.js';

const PACKAGED = '/skywalking.v3.ManagementService/keepAlive';
const BARE = '/ManagementService/keepAlive';
const REQUEST = Uint8Array.of(10, 3, 97, 98, 99);
const COMMANDS = Uint8Array.of(10, 2, 10, 0);

async function start(endpoints = 1): Promise<PipeRig> {
  const rig = await PipeRig.start({
    receiver: 'grpc-native-management-receiver',
    forwarder: 'native-management-grpc-forwarder',
    queue: 'none-queue',
    endpoints,
  });
  for (const endpoint of rig.channel.all) endpoint.decide = () => null;
  return rig;
}

describe('a synchronous call', () => {
  it('knows no acknowledgement but the answer of the backend, and says so', () => {
    for (const ack of ['received', 'queued']) {
      const receiver = 'grpc-native-management-receiver';
      assert.throws(() => new PipeRig({ receiver, receiverOptions: { ack } }), /expected one of delivered/);
    }
  });

  it('goes to the packaged name under both names, and the reply comes back byte for byte', async () => {
    for (const path of [
      PACKAGED,
      BARE,
      '/skywalking.v3.ManagementService/reportInstanceProperties',
      '/ManagementService/reportInstanceProperties',
    ]) {
      const rig = await start();
      const agent = rig.registry.open(path).send(REQUEST).halfClose();
      const [call] = rig.channel.calls;
      assert.equal(call!.path, path.replace(/^\/Man/, '/skywalking.v3.Man'));
      assert.deepEqual(call!.messages, [Buffer.from(REQUEST)]);
      assert.equal(call!.isHalfClosed, true);
      call!.reply(COMMANDS);
      assert.equal(agent.status, null);
      call!.answer(statusOf(0, { trailers: ['grpc-status', '0', 'x-oap', 'yes'] }));
      assert.deepEqual(agent.replies, [Buffer.from(COMMANDS)]);
      assert.deepEqual(agent.status, { code: 0, message: '', trailers: ['x-oap', 'yes'] });
      assert.deepEqual(call!.endpoint.outcomes, [OUTCOME.ok]);
      assert.equal(rig.metrics.read('relay_output_count', { pipe: 'p', status: 'success' }), 1);
    }
  });

  it("brings the backend's error back as it is, without a retry", async () => {
    const rig = await start(2);
    const agent = rig.registry.open(PACKAGED).send(REQUEST).halfClose();
    rig.channel.calls[0]!.answer(
      statusOf(7, { message: 'no token', trailers: ['grpc-status', '7', 'grpc-message', 'no token'] }),
    );
    assert.deepEqual(agent.status, { code: 7, message: 'no token', trailers: [] });
    assert.equal(rig.channel.calls.length, 1);
    assert.equal(rig.metrics.read('relay_output_count', { pipe: 'p', status: 'failure' }), 1);
  });

  it('brings an error of trailers only back without the headers of its answer, which ours has itself', async () => {
    const rig = await start();
    const agent = rig.registry.open(PACKAGED).send(REQUEST).halfClose();
    const headers = [':status', '200', 'content-type', 'application/grpc', 'grpc-encoding', 'gzip'];
    const own = ['grpc-status-details-bin', 'CAcSA25v', 'x-oap', 'yes'];
    rig.channel.calls[0]!.answer(
      statusOf(7, { message: 'no', trailers: [...headers, 'grpc-status', '7', 'grpc-message', 'no', ...own] }),
    );
    assert.deepEqual(agent.status, { code: 7, message: 'no', trailers: own });
  });

  it("passes the caller's deadline on, and sets the channel's where there is none", async () => {
    const rig = await start();
    rig.registry.open(PACKAGED, { deadlineMs: 1234 });
    rig.registry.open(PACKAGED);
    assert.deepEqual(
      rig.channel.calls.map((call) => call.options.deadlineMs),
      [1234, rig.clock.now() + rig.channel.unaryTimeoutMs],
    );
  });

  it('keeps none of its messages, whatever becomes of them', async () => {
    const heldBytes = TEST_BLOCKS.heldBytes;
    const rig = await start();
    const agent = rig.registry.open(PACKAGED).send(REQUEST);
    const [call] = rig.channel.calls;
    call!.reply(COMMANDS);
    assert.deepEqual([call!.messages, agent.replies], [[Buffer.from(REQUEST)], [Buffer.from(COMMANDS)]]);
    agent.send(REQUEST);
    (await start(0)).registry.open(PACKAGED).send(REQUEST);
    assert.equal(TEST_BLOCKS.heldBytes, heldBytes);
  });

  it('is cancelled at the backend when the caller cancels, and settles its lease once', async () => {
    const rig = await start();
    const agent = rig.registry.open(PACKAGED).send(REQUEST);
    agent.cancel();
    assert.equal(rig.channel.calls[0]!.cancelReason, 'reset by the source');
    assert.deepEqual(rig.channel.all[0]!.outcomes, [OUTCOME.neutral]);
    assert.equal(rig.channel.openCalls, 0);
  });

  it('fails at once with UNAVAILABLE when no backend is ready', async () => {
    const rig = await start(0);
    const agent = rig.registry.open(PACKAGED);
    assert.equal(agent.status?.code, 14);
    agent.send(REQUEST).halfClose();
  });

  it('is cut off when a unary caller sends on, or is far ahead of the backend', async () => {
    const rig = await start();
    const chatty = rig.registry.open(PACKAGED).send(REQUEST).send(REQUEST);
    assert.equal(chatty.status?.code, 13);
    assert.match(rig.channel.calls[0]!.cancelReason!, /more than one/);
    rig.channel.all[0]!.unsentBytes = 5 * 1024 * 1024;
    assert.equal(rig.registry.open(PACKAGED).send(REQUEST).status?.code, 8);
    assert.equal(rig.channel.openCalls, 0);
    assert.deepEqual(rig.channel.all[0]!.outcomes, [OUTCOME.neutral, OUTCOME.neutral]);
  });

  it('carries the metadata of the caller, without what HTTP and gRPC claim and without a token when we have our own', async () => {
    const rig = await start();
    const metadata = [':path', PACKAGED, 'te', 'trailers', 'user-agent', 'x', 'grpc-timeout', '1S'];
    const own = ['agent-version', '9.4.0', 'authentication', 'of the agent'];
    rig.registry.open(PACKAGED, { metadata: [...metadata, ...own] });
    assert.deepEqual(rig.channel.calls[0]!.options.metadata, own);
    rig.channel.metadata = ['authentication', 'secret'];
    rig.registry.open(PACKAGED, { metadata: [...metadata, ...own] });
    assert.deepEqual(rig.channel.calls[1]!.options.metadata, ['agent-version', '9.4.0']);
  });

  it("brings the headers of the backend's answer back before its first message, or with its status", async () => {
    const rig = await start();
    const frame = [':status', '200', 'content-type', 'application/grpc', 'grpc-encoding', 'gzip'];
    const agent = rig.registry.open(PACKAGED).send(REQUEST).halfClose();
    const [call] = rig.channel.calls;
    call!.headers = [...frame, 'x-oap', 'one'];
    call!.reply(COMMANDS);
    assert.deepEqual([agent.headers, agent.status], [['x-oap', 'one'], null]);
    call!.answer(statusOf(0));
    const refused = rig.registry.open(PACKAGED).send(REQUEST).halfClose();
    rig.channel.calls[1]!.headers = [...frame, 'x-oap', 'two'];
    rig.channel.calls[1]!.answer(statusOf(7));
    assert.deepEqual([refused.headers, refused.status?.code], [['x-oap', 'two'], 7]);
  });
});
