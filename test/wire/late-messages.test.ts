/** A listener that drains, and callers that have not seen the answer yet, over real sockets. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SimulatedClock, TimerWheel } from '../../src/base/index.js';
import type { Message, MethodHandler, ServerCall } from '../../src/net/grpc/contract.js';
import { LINGER_MS } from '../../src/net/grpc/server-call.js';
import { H2_CANCEL } from '../../src/net/http2/index.js';
import { startServer, type TestServer } from '../unit/net/socket/rig.js';
import { frame, u32 } from '../support/peer.js';
import { messageStart, RawPeer } from '../support/raw-peer.js';

const PATH = '/test.Late/Collect';
const STREAM = 1;
/** Of HEADERS behind their length: type, END_HEADERS and END_STREAM, stream. */
const TRAILERS_START = Buffer.from([1, 5, 0, 0, 0, STREAM]);
/** Of a server with the default shutdown time. */
const DRAIN_MS = 2000;
const FIRST_PING_ACK = frame('PING', 1, 0, u32(0, 1));

class Collector implements MethodHandler {
  readonly takesLateMessages = true;
  readonly texts: string[] = [];
  readonly ends: string[] = [];

  onCall(): void {
    // All that matters comes later.
  }

  onMessage(_call: ServerCall, message: Message): void {
    this.texts.push(Buffer.concat(message.parts).toString());
  }

  onHalfClose(call: ServerCall): void {
    call.finish(0);
  }

  onEnd(_call: ServerCall, isCancelled: boolean): void {
    this.ends.push(isCancelled ? 'cancelled' : 'finished');
  }
}

interface Stage {
  readonly clock: SimulatedClock;
  readonly rig: TestServer;
  readonly collector: Collector;
  readonly peer: RawPeer;
  readonly drained: Promise<void>;
}

function text(body: string): Buffer {
  return messageStart(STREAM, body.length, Buffer.from(body));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** A drain whose answer is out, to a caller that has sent one more message since. */
async function start(t: TestContext): Promise<Stage> {
  const clock = new SimulatedClock(1000);
  const collector = new Collector();
  const rig = await startServer(
    (registry) => registry.register(PATH, collector),
    { clock },
    { clock, wheel: new TimerWheel(clock) },
  );
  t.after(() => rig.close());
  const peer = new RawPeer(rig.listener.port);
  t.after(() => peer.socket.destroy());
  peer.send(peer.headers(STREAM, PATH), text('before'));
  await until(() => collector.texts.length === 1);
  const drained = rig.listener.drain(clock.now() + DRAIN_MS);
  await until(() => peer.hasHeard('draining'));
  peer.send(FIRST_PING_ACK, text('the last to be expected'));
  await until(() => peer.received.includes(TRAILERS_START));
  peer.send(text('crossing'));
  await until(() => collector.texts.length === 3);
  return { clock, rig, collector, peer, drained };
}

test('a drain takes what crosses its answers, and is over when the callers have seen them', async (t) => {
  const { collector, drained, peer, rig } = await start(t);
  assert.deepEqual(collector.texts, ['before', 'the last to be expected', 'crossing']);
  assert.deepEqual(collector.ends, []);
  assert.equal(rig.listener.connectionCount, 1);
  peer.send(text('sent before the reset'), frame('RST_STREAM', 0, STREAM, u32(H2_CANCEL)));
  await drained;
  assert.equal(collector.texts.at(-1), 'sent before the reset');
  assert.deepEqual(collector.ends, ['finished']);
  assert.deepEqual(rig.errors, []);
});

test('a drain waits only so long for a caller that pays no heed to its answer', async (t) => {
  const { clock, collector, drained, peer, rig } = await start(t);
  const deadlineMs = clock.now() + DRAIN_MS;
  clock.advance(LINGER_MS + 100);
  await drained;
  assert.deepEqual(collector.ends, ['finished']);
  assert.ok(clock.now() < deadlineMs);
  await peer.closed;
  assert.ok(peer.received.includes(frame('RST_STREAM', 0, STREAM, u32(0))));
  assert.deepEqual(rig.errors, []);
});
