import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SimulatedClock, systemClock, type SatelliteError } from '../../../../src/base/index.js';
import type {
  ClientConnection,
  Message,
  MethodHandler,
  MethodRegistry,
  ServerCall,
  Status,
} from '../../../../src/net/grpc/contract.js';
import { GRPC_STATUS, unaryMethod } from '../../../../src/net/grpc/index.js';
import { createDial } from '../../../../src/net/socket/index.js';
import { DIAL_DEFAULTS, exchange, startServer, type TestServer } from './rig.js';

const PATH = '/test.Socket/Collect';

class Collector implements MethodHandler {
  received = 0;
  halfCloses = 0;
  readonly ends: string[] = [];
  onEnded: () => void = () => undefined;
  call: ServerCall | null = null;

  onCall(call: ServerCall): void {
    this.call = call;
  }

  onMessage(_call: ServerCall, _message: Message): void {
    this.received++;
  }

  onHalfClose(call: ServerCall): void {
    this.halfCloses++;
    call.sendMessage([Buffer.from('ok')], 2);
    call.finish(0);
  }

  onEnd(_call: ServerCall, isCancelled: boolean, reason: string): void {
    this.ends.push(isCancelled ? reason : 'finished');
    this.onEnded();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function open(connection: ClientConnection, onStatus: (status: Status) => void = () => undefined) {
  const call = connection.openCall(
    PATH,
    {
      onMessage: () => undefined,
      onStatus: (_call, status) => {
        onStatus(status);
      },
    },
    {},
  );
  assert.ok(call !== null);
  return call;
}

async function withServer(
  run: (rig: TestServer, collector: Collector) => Promise<void>,
  ...settings: [Parameters<typeof startServer>[1]?]
): Promise<void> {
  const collector = new Collector();
  const rig = await startServer(
    (registry) => {
      registry.register(PATH, collector);
    },
    ...settings,
  );
  try {
    await run(rig, collector);
    assert.deepEqual(rig.bugs, []);
  } finally {
    await rig.close();
  }
}

test('HTTP/1 is answered with what this port is, and the connection closed', () =>
  withServer(async (rig) => {
    for (const pieces of [['GET / HTTP/1.1\r\nHost: x\r\n\r\n'], ['P', 'OST /v3/segments HTTP/1.1\r\n\r\n']]) {
      const socket = connect(rig.listener.port, '127.0.0.1');
      for (const piece of pieces) socket.write(piece);
      const text = (await readAll(socket)).toString();
      assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(text, /gRPC over HTTP\/2\. HTTP is served on port 12800\./);
    }
    await until(() => rig.listener.connectionCount === 0);
  }));

test('a probe that connects and leaves is no error', () =>
  withServer(async (rig) => {
    const socket = connect(rig.listener.port, '127.0.0.1');
    socket.end();
    await readAll(socket);
    await until(() => rig.listener.connectionCount === 0);
    assert.deepEqual(rig.errors, []);
  }));

test('nonsense is refused with GOAWAY and counted as a connection error', () =>
  withServer(async (rig) => {
    const socket = connect(rig.listener.port, '127.0.0.1');
    socket.write('nonsense that is no preface at all');
    const bytes = await readAll(socket);
    assert.ok(bytes.includes('no HTTP/2 preface'));
    await until(() => rig.errors.length === 1);
    assert.match(rig.errors[0]!.message, /no HTTP\/2 preface/);
  }));

test('a connection over the limit hears why; those below it are served', () =>
  withServer(
    async (rig) => {
      const first = await rig.connect();
      const reason = await new Promise<string>((resolve) => {
        const dial = createDial({ clock: systemClock, maxReassemblyBytes: 1e6, budget: null, onBug: () => undefined });
        dial(rig.address, DIAL_DEFAULTS, {
          onReady: () => undefined,
          onFreeStream: () => undefined,
          onDraining: (_connection, text) => {
            resolve(text);
          },
          onClosed: () => undefined,
        });
      });
      assert.equal(reason, 'NO_ERROR: full at 1');
      assert.deepEqual(rig.refusals, ['full at 1']);
      assert.equal((await exchange(first, PATH, [Buffer.from('x')])).status.code, 0);
    },
    { refuse: (count) => (count >= 1 ? 'full at 1' : null) },
  ));

test('everything that came before a FIN is delivered, and the call told of its end', () =>
  withServer(async (rig, collector) => {
    const connection = await rig.connect();
    const call = open(connection);
    for (let count = 0; count < 500; count++) call.sendMessage([Buffer.alloc(1000)], 1000);
    const socket = (connection as unknown as { transport: { socket: Socket } }).transport.socket;
    setImmediate(() => setImmediate(() => socket.end()));
    await until(() => collector.ends.length === 1);
    assert.equal(collector.received, 500);
    assert.match(collector.ends[0]!, /the peer closed the connection/);
  }));

test('what came before a reset of the connection is delivered', () =>
  withServer(async (rig, collector) => {
    const connection = await rig.connect();
    const call = open(connection);
    for (let count = 0; count < 20; count++) call.sendMessage([Buffer.alloc(1000)], 1000);
    const socket = (connection as unknown as { transport: { socket: Socket } }).transport.socket;
    setImmediate(() => setImmediate(() => socket.resetAndDestroy()));
    await until(() => collector.ends.length === 1);
    assert.equal(collector.received, 20);
    assert.equal(rig.errors[0]?.code, 'SAT_NET_LOST');
  }));

test('a drain tells clients, ends streaming calls with a reply, and resolves when all are gone', () =>
  withServer(async (rig, collector) => {
    const connection = await rig.connect();
    let status: Status | null = null;
    const call = open(connection, (received) => (status = received));
    call.sendMessage([Buffer.from('a')], 1);
    await until(() => collector.received === 1);
    const drained = rig.listener.drain(systemClock.now() + 30_000);
    await until(() => !connection.isReady);
    call.sendMessage([Buffer.from('b')], 1);
    await drained;
    assert.equal(collector.received, 2);
    assert.equal((status as Status | null)?.code, 0);
    await assert.rejects(rig.connect());
  }));

test('a drain ends at its deadline when a call does not; close ends that too', async () => {
  const clock = new SimulatedClock(1000);
  const collector = new Collector();
  collector.onHalfClose = () => undefined;
  const rig = await startServer(
    (registry) => {
      registry.register(PATH, collector);
    },
    { clock },
  );
  const connection = await rig.connect();
  let status: Status | null = null;
  const call = open(connection, (received) => (status = received));
  call.halfClose();
  await until(() => collector.call !== null);
  const drained = rig.listener.drain(clock.now() + 5000);
  clock.advance(5000);
  await drained;
  assert.equal(rig.listener.connectionCount, 1);
  await rig.listener.close();
  await until(() => status !== null);
  assert.equal((status as Status | null)?.code, GRPC_STATUS.UNAVAILABLE);
  await rig.close();
});

test('a reader that does not read pauses its producer', () =>
  withServer(async (rig, collector) => {
    const connection = await rig.connect();
    const socket = (connection as unknown as { transport: { socket: Socket } }).transport.socket;
    const stream = open(connection);
    stream.sendMessage([Buffer.from('go')], 2);
    await until(() => collector.received === 1);
    socket.pause();
    const serverCall = collector.call as unknown as { unsentBytes: number } & ServerCall;
    const body = Buffer.alloc(100_000);
    for (let count = 0; count < 300; count++) {
      serverCall.sendMessage([body], body.length);
      if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // The stream's window is what can be under way; all else waits where it is counted.
    assert.ok(serverCall.unsentBytes >= 30_000_000 - 2 * 1024 * 1024);
    socket.resume();
    await until(() => serverCall.unsentBytes === 0);
  }));

test('`:0` listens for both IP versions', () =>
  withServer(
    async (rig) => {
      assert.match(rig.listener.boundAddress, /^(\[::\]|0\.0\.0\.0):\d+$/);
      const outcome = await exchange(await rig.connect(), PATH, [Buffer.from('x')]);
      assert.equal(outcome.status.code, 0);
    },
    { address: { kind: 'tcp', host: '', port: 0 } },
  ));

test('unix sockets work like any other', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'satellite-socket-'));
  const path = join(directory, 'grpc.sock');
  await withServer(
    async (rig) => {
      assert.equal(rig.listener.boundAddress, path);
      assert.equal((await exchange(await rig.connect(), PATH, [Buffer.from('x')])).status.code, 0);
    },
    { address: { kind: 'unix', path } },
  );
  rmSync(directory, { recursive: true });
});

test('a taken address is refused with its name', () =>
  withServer(async (rig) => {
    await assert.rejects(
      startServer(() => undefined, { address: rig.address }),
      (error: SatelliteError) => error.code === 'SAT_NET_LISTEN' && error.message.includes(String(rig.listener.port)),
    );
  }));

test('a client that says nothing is cut off after the setup timeout', async () => {
  const clock = new SimulatedClock(1000);
  const rig = await startServer(() => undefined, { clock, setupTimeoutMs: 3000 });
  const socket = connect(rig.listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await until(() => rig.listener.connectionCount === 1);
  clock.advance(3200);
  await until(() => rig.listener.connectionCount === 0);
  assert.equal(rig.errors[0]?.code, 'SAT_NET_TIMEOUT');
  socket.destroy();
  await rig.close();
});

test('an idle connection is drained and closed in good order', async () => {
  const clock = new SimulatedClock(1000);
  const rig = await startServer(
    (registry) => {
      registry.register(
        PATH,
        unaryMethod((request) => request),
      );
    },
    { clock, idleTimeoutMs: 5000 },
  );
  const connection = await rig.connect();
  assert.equal((await exchange(connection, PATH, [Buffer.from('x')])).status.code, 0);
  clock.advance(5200);
  clock.advance(1000);
  await until(() => rig.listener.connectionCount === 0);
  assert.equal(connection.isReady, false);
  assert.deepEqual(rig.errors, []);
  await rig.close();
});

test('a connection past its age ends after the next message; the call has its reply, and the next one a new connection', async () => {
  const clock = new SimulatedClock(1000);
  const collector = new Collector();
  const age = { maxMs: 60_000, graceMs: 0, random: () => 1 };
  const register = (registry: MethodRegistry): void => registry.register(PATH, collector);
  const rig = await startServer(register, { clock, age });
  const connection = await rig.connect();
  const statuses: number[] = [];
  const call = open(connection, (status) => statuses.push(status.code));
  call.sendMessage([Buffer.from('a')], 1);
  await until(() => collector.received === 1);
  // Half a percent below the age with all of its jitter, then past it.
  clock.advance(65_700);
  assert.equal(connection.isReady, true);
  clock.advance(500);
  await until(() => !connection.isReady);
  assert.deepEqual(statuses, []);
  call.sendMessage([Buffer.from('b')], 1);
  await until(() => statuses.length === 1);
  assert.deepEqual(statuses, [0]);
  assert.equal(collector.received, 2);
  await until(() => rig.listener.connectionCount === 0);
  const next = await rig.connect();
  assert.equal((await exchange(next, PATH, [Buffer.from('c')])).status.code, 0);
  assert.deepEqual(rig.errors, []);
  await rig.close();
});

test('the grace of an old connection cuts off the call that does not end', async () => {
  const clock = new SimulatedClock(1000);
  const collector = new Collector();
  collector.onHalfClose = () => undefined;
  const age = { maxMs: 60_000, graceMs: 5000, random: () => 0 };
  const register = (registry: MethodRegistry): void => registry.register(PATH, collector);
  const rig = await startServer(register, { clock, age });
  const connection = await rig.connect();
  const statuses: number[] = [];
  open(connection, (status) => statuses.push(status.code)).halfClose();
  await until(() => collector.call !== null);
  clock.advance(54_200);
  await until(() => !connection.isReady);
  clock.advance(5200);
  await until(() => statuses.length === 1);
  assert.deepEqual(statuses, [GRPC_STATUS.UNAVAILABLE]);
  await until(() => rig.errors.length === 1);
  assert.match(rig.errors[0]!.message, /did not leave/);
  await rig.close();
});

async function silentServer(): Promise<{ server: Server; port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port, sockets };
}

test('a server that accepts and stays silent is given up after the connect timeout', async () => {
  const { server, port, sockets } = await silentServer();
  const clock = new SimulatedClock(1000);
  const dial = createDial({ clock, maxReassemblyBytes: 1e6, budget: null, onBug: () => undefined });
  const closed = new Promise<Error | null>((resolve) => {
    dial(
      { kind: 'tcp', host: '127.0.0.1', port },
      { ...DIAL_DEFAULTS, clock, connectTimeoutMs: 2000 },
      {
        onReady: () => undefined,
        onFreeStream: () => undefined,
        onDraining: () => undefined,
        onClosed: (_connection, error) => {
          resolve(error);
        },
      },
    );
  });
  await until(() => sockets.length === 1);
  clock.advance(2200);
  assert.equal(((await closed) as SatelliteError).code, 'SAT_NET_TIMEOUT');
  server.close();
});

test('dialling never throws: a dead port, a wrong port and a broken PEM are heard', async () => {
  const { server, port } = await silentServer();
  await new Promise((resolve) => server.close(resolve));
  const dial = createDial({ clock: systemClock, maxReassemblyBytes: 1e6, budget: null, onBug: () => undefined });
  const codes: string[] = [];
  const cases = [
    [port, null],
    [70_000, null],
    [port, { ca: 'broken', cert: 'broken', key: 'broken' }],
  ] as const;
  for (const [target, tls] of cases) {
    const error = await new Promise<Error | null>((resolve) => {
      dial(
        { kind: 'tcp', host: '127.0.0.1', port: target },
        { ...DIAL_DEFAULTS, tls },
        {
          onReady: () => undefined,
          onFreeStream: () => undefined,
          onDraining: () => undefined,
          onClosed: (_connection, reason) => {
            resolve(reason);
          },
        },
      );
    });
    codes.push((error as SatelliteError).code);
  }
  assert.equal(codes[0], 'SAT_NET_UNREACHABLE');
  assert.ok(codes.every((code) => code.startsWith('SAT_NET_')));
});

test('a client drain waits for its calls and then closes without an error', () =>
  withServer(async (rig, collector) => {
    const closed: (Error | null)[] = [];
    const dial = createDial({ clock: systemClock, maxReassemblyBytes: 1e6, budget: null, onBug: () => undefined });
    const connection = await new Promise<ClientConnection>((resolve) => {
      dial(rig.address, DIAL_DEFAULTS, {
        onReady: resolve,
        onFreeStream: () => undefined,
        onDraining: () => undefined,
        onClosed: (_connection, error) => closed.push(error),
      });
    });
    let status: Status | null = null;
    const call = open(connection, (received) => (status = received));
    call.sendMessage([Buffer.from('x')], 1);
    await until(() => collector.received === 1);
    connection.drain();
    assert.equal(connection.freeStreams, 0);
    call.halfClose();
    await until(() => closed.length === 1);
    assert.equal((status as Status | null)?.code, 0);
    assert.deepEqual(closed, [null]);
  }));

test('progress is seen in what is read and in what drains', () =>
  withServer(async (rig) => {
    const connection = await rig.connect();
    const before = connection.lastProgressMs;
    await exchange(connection, PATH, [Buffer.from('x')]);
    assert.ok(connection.lastProgressMs > before);
  }));
