/**
 * Bad peers over real sockets: each is cut off or held at its bound, and a neighbour's calls are answered all the while.
 * The guards themselves are proved frame by frame in http2-floods.test.ts; here it is what they cost the others.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ClientConnection, MethodRegistry, ServerCall } from '../../src/net/grpc/contract.js';
import { GRPC_STATUS, ReassemblyMeter, unaryMethod } from '../../src/net/grpc/index.js';
import { Http2Counters } from '../../src/net/http2/index.js';
import { exchange, MAX_MESSAGE_BYTES, startServer, type TestServer } from '../unit/net/socket/rig.js';
import { frame, settingsFrame, u32 } from '../support/peer.js';
import { messageStart, RawPeer } from '../support/raw-peer.js';

const ECHO = '/test.Neighbour/Echo';
const COLLECT = '/test.Bad/Collect';
const PUSH = '/test.Bad/Push';
const METER_BYTES = 8 << 20;
const CANCEL = 8;
/** INITIAL_WINDOW_SIZE. */
const WINDOW = 4;

const pushed: ServerCall[] = [];

function register(registry: MethodRegistry): void {
  registry.register(
    ECHO,
    unaryMethod((request) => request),
  );
  const ignore = (): void => undefined;
  registry.register(COLLECT, {
    onCall: ignore,
    onMessage: ignore,
    onHalfClose: (call) => call.finish(0),
    onEnd: ignore,
  });
  registry.register(PUSH, {
    onCall: (call) => {
      pushed.push(call);
      call.sendMessage([Buffer.alloc(500_000)], 500_000);
    },
    onMessage: ignore,
    onHalfClose: ignore,
    onEnd: ignore,
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a bad peer costs its neighbours nothing:', () => {
  const meter = new ReassemblyMeter(METER_BYTES, null);
  const counters = new Http2Counters();
  let server: TestServer;
  let neighbour: ClientConnection;
  let answered = 0;

  before(async () => {
    server = await startServer(register, { counters, maxConcurrentStreams: 100_000 }, { meter });
    neighbour = await server.connect();
  });
  beforeEach(() => {
    pushed.length = 0;
    counters.guardTrips.clear();
  });
  after(async () => {
    assert.deepEqual(server.bugs, []);
    await server.close();
  });

  const dial = (settings: [number, number][] = []): RawPeer => new RawPeer(server.listener.port, settings);

  /** The neighbour has its answer, while the bad one is at it. */
  const expectAnswer = async (): Promise<void> => {
    const { status, messages } = await exchange(neighbour, ECHO, [Buffer.from('still here')]);
    assert.deepEqual([status.code, messages], [GRPC_STATUS.OK, ['still here']]);
    answered++;
  };

  /** All that the bad one had is gone. */
  const expectClean = async (): Promise<void> => {
    await until(() => server.listener.connectionCount === 1 && server.server.callCount === 0);
    assert.equal(meter.usedBytes, 0);
    await expectAnswer();
  };

  const floods: Record<string, { guard: string; bytes: (peer: RawPeer, index: number) => Buffer }> = {
    'rapid reset': {
      guard: 'rapid_reset',
      bytes: (peer, index) =>
        Buffer.concat([peer.headers(2 * index + 1, COLLECT), frame('RST_STREAM', 0, 2 * index + 1, u32(CANCEL))]),
    },
    'streams that provoke resets': {
      guard: 'provoked_reset',
      bytes: (peer, index) =>
        Buffer.concat([peer.headers(2 * index + 1, COLLECT), frame('WINDOW_UPDATE', 0, 2 * index + 1, u32(0))]),
    },
    PING: { guard: 'ping', bytes: () => frame('PING', 0, 0, Buffer.alloc(8)) },
    SETTINGS: { guard: 'settings', bytes: () => settingsFrame() },
    PRIORITY: { guard: 'priority', bytes: () => frame('PRIORITY', 0, 1, Buffer.alloc(5)) },
    'empty DATA': {
      guard: 'empty_data',
      bytes: (peer, index) => (index === 0 ? peer.headers(1, COLLECT) : frame('DATA', 0, 1)),
    },
    'CONTINUATION without end': {
      guard: 'continuation',
      bytes: (_peer, index) => frame(index === 0 ? 'HEADERS' : 'CONTINUATION', 0, 1, Buffer.from([0x82])),
    },
  };
  for (const [name, { guard, bytes }] of Object.entries(floods)) {
    test(name, async () => {
      const peer = dial();
      // Enough at once that a slow machine does not stretch it over the seconds that guards count by.
      for (let batch = 0; batch < 4; batch++) {
        const indexes = Array.from({ length: 1500 }, (_, index) => batch * 1500 + index);
        peer.send(...indexes.map((index) => bytes(peer, index)));
        await expectAnswer();
      }
      await peer.closed;
      assert.ok(peer.hasHeard(`flood guard ${guard}`), guard);
      assert.equal(counters.guardTrips.get(guard), 1);
      await expectClean();
    });
  }

  test('one that never reads what it makes us answer', async () => {
    const peer = dial();
    peer.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 500 }, () => frame('PING', 0, 0, Buffer.alloc(8))));
    for (let batch = 0; batch < 20; batch++) {
      peer.send(pings);
      await expectAnswer();
    }
    await until(() => counters.guardTrips.size > 0);
    peer.socket.destroy();
    await expectClean();
  });

  test('one that never reads what it asked for', async () => {
    const peer = dial([[WINDOW, 0x7fffffff]]);
    peer.socket.pause();
    peer.send(frame('WINDOW_UPDATE', 0, 0, u32(0x7fff0000 - 65_535)));
    for (let count = 0; count < 40; count++) {
      peer.send(peer.headers(2 * count + 1, PUSH));
      await expectAnswer();
    }
    await until(() => pushed.length === 40);
    // 20 MB were handed over; the kernel took its part, all else waits where it was.
    const unsent = (pushed as unknown as { unsentBytes: number }[]).reduce((sum, call) => sum + call.unsentBytes, 0);
    assert.ok(unsent > 5_000_000, String(unsent));
    peer.socket.destroy();
    await expectClean();
  });

  test('one whose windows let through a byte at a time', async () => {
    const peer = dial([[WINDOW, 1]]);
    peer.send(peer.headers(1, PUSH));
    await until(() => pushed.length === 1);
    for (let count = 0; count < 300; count++) {
      peer.send(frame('WINDOW_UPDATE', 0, 1, u32(1)));
      if (count % 30 === 0) await expectAnswer();
    }
    await until(() => (pushed[0] as unknown as { unsentBytes: number }).unsentBytes === 500_005 - 301);
    peer.socket.destroy();
    await expectClean();
  });

  test('one that drips a message byte by byte and never ends it', async () => {
    const peer = dial();
    peer.socket.setNoDelay(true);
    peer.send(peer.headers(1, COLLECT), messageStart(1, 900_000, Buffer.alloc(0)));
    for (let count = 0; count < 300; count++) {
      peer.send(frame('DATA', 0, 1, Buffer.from([count & 255])));
      if (count % 10 === 0) await expectAnswer();
    }
    // What it may pin is bounded by what it sent, not by the chunks that brought it.
    assert.ok(meter.usedBytes < 64 * 1024, String(meter.usedBytes));
    peer.socket.destroy();
    await expectClean();
  });

  test('many that each begin a large message and never end it', async () => {
    const part = Buffer.alloc(16_000);
    const peers = Array.from({ length: 20 }, () => dial());
    for (const peer of peers) peer.send(peer.headers(1, COLLECT), messageStart(1, 1_000_000, part.subarray(0, 10_000)));
    let most = 0;
    for (let round = 0; round < 60; round++) {
      for (const peer of peers) peer.send(frame('DATA', 0, 1, part));
      await expectAnswer();
      most = Math.max(most, meter.usedBytes);
    }
    await until(() => peers.some((peer) => peer.received.length > 200));
    assert.ok(most > METER_BYTES / 2 && most <= METER_BYTES + 20 * 65_536, String(most));
    for (const peer of peers) peer.socket.destroy();
    await expectClean();
  });

  test('a message that inflates a thousandfold', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20), { level: 1 });
    assert.ok(bomb.length < MAX_MESSAGE_BYTES);
    const peer = dial();
    peer.send(peer.headers(1, COLLECT, ['grpc-encoding', 'gzip']));
    for (let from = 0; from < bomb.length; from += 16_000) {
      const slice = bomb.subarray(from, from + 16_000);
      peer.send(from === 0 ? messageStart(1, bomb.length, slice, true) : frame('DATA', 0, 1, slice));
      await expectAnswer();
      assert.ok(meter.usedBytes <= METER_BYTES);
    }
    await until(() => server.server.callCount === 0);
    peer.socket.destroy();
    await expectClean();
  });

  test('the neighbour has been answered every time', () => {
    assert.ok(answered > 150);
  });
});
