import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { SimulatedClock } from '../../../../src/base/index.js';
import type { ClientConnection } from '../../../../src/net/grpc/contract.js';
import { createDial, type SocketAddress } from '../../../../src/net/socket/index.js';
import { FRAME_NAMES, frame, settingsFrame, u32 } from '../../../support/peer.js';
import { DIAL_DEFAULTS } from './rig.js';

const KEEPALIVE_MS = 10_000;
/** Coarse timers are late by a tick, and look at the connection when they fire. */
const SLACK_MS = 300;
const ENHANCE_YOUR_CALM = 0xb;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** A server that counts the pings of each connection and may find them too many. */
class PingCounter {
  readonly pings: number[] = [];
  readonly sockets: Socket[] = [];
  private readonly server = createServer((socket) => this.serve(socket));

  async listen(): Promise<SocketAddress> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return { kind: 'tcp', host: '127.0.0.1', port: (this.server.address() as { port: number }).port };
  }

  complain(index: number): void {
    const text = Buffer.concat([u32(1, ENHANCE_YOUR_CALM), Buffer.from('too_many_pings')]);
    this.sockets[index]!.end(frame('GOAWAY', 0, 0, text));
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private serve(socket: Socket): void {
    const index = this.sockets.push(socket) - 1;
    this.pings.push(0);
    socket.on('error', () => undefined);
    socket.write(settingsFrame());
    let unread = Buffer.alloc(0);
    let isPrefaceRead = false;
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      if (!isPrefaceRead) unread = unread.subarray(24);
      isPrefaceRead = true;
      while (unread.length >= 9) {
        const length = unread.readUIntBE(0, 3);
        if (FRAME_NAMES[unread.readUInt8(3)] === 'PING') {
          this.pings[index]!++;
          socket.write(frame('PING', 1, 0, unread.subarray(9, 9 + length)));
        }
        unread = unread.subarray(9 + length);
      }
    });
  }
}

test('a server that finds pings too many is pinged half as often on the next connection', async () => {
  const clock = new SimulatedClock(1000);
  const server = new PingCounter();
  const address = await server.listen();
  const dial = createDial({ clock, maxReassemblyBytes: 1e6, budget: null, onBug: () => assert.fail() });
  const connect = async (): Promise<ClientConnection> => {
    const connection = await new Promise<ClientConnection>((resolve) => {
      const ignore = (): void => undefined;
      const events = { onReady: resolve, onFreeStream: ignore, onDraining: ignore, onClosed: ignore };
      dial(address, { ...DIAL_DEFAULTS, clock, connectTimeoutMs: 1000, keepaliveTimeMs: KEEPALIVE_MS }, events);
    });
    // Without a call there are no pings.
    assert.ok(connection.openCall('/a/b', { onMessage: () => undefined, onStatus: () => undefined }, {}) !== null);
    clock.advance(1000 + SLACK_MS);
    return connection;
  };
  await connect();
  clock.advance(KEEPALIVE_MS - 1000);
  await until(() => server.pings[0] === 1);
  server.complain(0);
  const second = await connect();
  clock.advance(KEEPALIVE_MS);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.pings[1], 0);
  clock.advance(KEEPALIVE_MS);
  await until(() => server.pings[1] === 1);
  second.destroy('the test is over');
  server.close();
});
