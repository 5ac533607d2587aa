/** Peers that go away within the TLS handshake: nothing stays behind, and those who come next are served. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { unaryMethod } from '../../src/net/grpc/index.js';
import { createCertificates, type TestCertificates } from '../support/certificates.js';
import { createTestDial, DIAL_DEFAULTS, exchange, startServer, type TestServer } from '../unit/net/socket/rig.js';

const PATH = '/test.Tls/Echo';

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function listenWith(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** The first bytes of a TLS client. */
async function recordClientHello(): Promise<Buffer> {
  const { server, port } = await listenWith(() => undefined);
  const client = connectTls({ host: '127.0.0.1', port, ALPNProtocols: ['h2'] }).on('error', () => undefined);
  const hello = await new Promise<Buffer>((resolve) => {
    server.on('connection', (socket) => {
      socket.once('data', (bytes) => {
        resolve(bytes);
        socket.destroy();
      });
    });
  });
  client.destroy();
  server.close();
  return hello;
}

describe('clients that leave within the handshake', () => {
  let files: TestCertificates;
  let rig: TestServer;

  before(async () => {
    files = createCertificates();
    const echo = unaryMethod((request) => request);
    rig = await startServer((registry) => registry.register(PATH, echo), {
      tls: { cert: files.serverCert, key: files.serverKey },
    });
  });
  after(async () => {
    await rig.close();
    files.remove();
    assert.deepEqual(rig.bugs, []);
  });

  for (const manner of ['end', 'destroy', 'resetAndDestroy'] as const) {
    test(`by ${manner}, wherever its hello is cut`, async () => {
      const hello = await recordClientHello();
      const cuts = [0, 1, 5, 6, Math.floor(hello.length / 2), hello.length - 1, hello.length];
      for (const cut of cuts) {
        const socket = connect(rig.listener.port, '127.0.0.1').on('error', () => undefined);
        await new Promise<void>((resolve) => socket.once('connect', resolve));
        if (cut > 0) await new Promise<void>((resolve) => socket.write(hello.subarray(0, cut), () => resolve()));
        socket[manner]();
        socket.resume();
      }
      await until(() => rig.listener.connectionCount === 0);
      const connection = await rig.connect({ tls: { ca: files.ca } });
      const { status } = await exchange(connection, PATH, [Buffer.from('still here')]);
      assert.equal(status.code, 0);
      connection.drain();
      await until(() => rig.listener.connectionCount === 0);
    });
  }
});

describe('a server that leaves within the handshake is an error told once', () => {
  const replies: Record<string, (socket: Socket) => void> = {
    'at once': (socket) => socket.destroy(),
    'after the hello, by a close': (socket) => socket.once('data', () => socket.destroy()),
    'after the hello, by a reset': (socket) => socket.once('data', () => socket.resetAndDestroy()),
    'in the middle of its own hello': (socket) => {
      socket.once('data', () => socket.end(Buffer.from('160303007a020000', 'hex')));
    },
  };

  for (const [name, reply] of Object.entries(replies)) {
    test(name, async () => {
      const bugs: unknown[] = [];
      const { server, port } = await listenWith((socket) => {
        socket.on('error', () => undefined);
        reply(socket);
      });
      const closed: (Error | null)[] = [];
      const settings = { ...DIAL_DEFAULTS, tls: { ca: '', insecureSkipVerify: true } };
      createTestDial(bugs)({ kind: 'tcp', host: '127.0.0.1', port }, settings, {
        onReady: () => assert.fail('ready'),
        onFreeStream: () => undefined,
        onDraining: () => undefined,
        onClosed: (_connection, error) => closed.push(error),
      });
      await until(() => closed.length > 0);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      assert.equal(closed.length, 1);
      assert.match((closed[0] as Error & { code: string }).code, /^SAT_NET_/);
      assert.deepEqual(bugs, []);
    });
  }
});
