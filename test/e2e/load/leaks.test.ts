/** Connections cut at any point of their life leave nothing behind: no handle, no call, no buffer, no memory. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSeededRandom, type Random } from '../../../src/base/index.js';
import { GRPC_STATUS, ReassemblyMeter } from '../../../src/net/grpc/index.js';
import type { MethodRegistry, ServerCall } from '../../../src/net/grpc/contract.js';
import { HpackEncoder } from '../../../src/net/hpack/index.js';
import { CLIENT_PREFACE } from '../../../src/net/http2/index.js';
import { createCertificates } from '../../support/certificates.js';
import { frame, settingsFrame } from '../../support/peer.js';
import { messageStart } from '../../support/raw-peer.js';
import { startServer, type TestServer } from '../../unit/net/socket/rig.js';

const COLLECT = '/test.Leak/Collect';
const CONNECTIONS = 10_000;
const TLS_CONNECTIONS = 1000;
/** At a time. */
const CONCURRENCY = 64;
/** Connections before memory is looked at: code is compiled, pools and caches are filled. */
const WARM_UP = 2000;
/** What may differ between two readings of a process that keeps nothing. */
const TOLERATED_BYTES = 3 << 20;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

function register(registry: MethodRegistry): void {
  const reply = (call: ServerCall): void => {
    call.sendMessage([Buffer.alloc(2000)], 2000);
    call.finish(GRPC_STATUS.OK);
  };
  const ignore = (): void => undefined;
  registry.register(COLLECT, { onCall: ignore, onMessage: ignore, onHalfClose: reply, onEnd: ignore });
}

/** A whole conversation of a client: three calls, one of them compressed, messages in several frames, a ping. */
function writeScript(): Buffer {
  const encoder = new HpackEncoder();
  const headers = (streamId: number, extra: readonly string[] = []): Buffer => {
    const request = [':method', 'POST', ':scheme', 'http', ':path', COLLECT, ':authority', 'x', 'te', 'trailers'];
    const fields = [...request, 'content-type', 'application/grpc', 'grpc-timeout', '30S', ...extra];
    return frame('HEADERS', 4, streamId, Buffer.from(encoder.encode(fields)));
  };
  const parts = [CLIENT_PREFACE, settingsFrame(), frame('SETTINGS', 1, 0)];
  for (const streamId of [1, 3, 5]) {
    parts.push(headers(streamId, streamId === 5 ? ['grpc-encoding', 'gzip'] : []));
    parts.push(messageStart(streamId, 30_000, Buffer.alloc(10_000), streamId === 5));
    parts.push(frame('DATA', 0, streamId, Buffer.alloc(10_000)), frame('PING', 0, 0, Buffer.alloc(8)));
    parts.push(frame('DATA', 1, streamId, Buffer.alloc(10_000)));
  }
  return Buffer.concat(parts);
}

/** Cuts a connection in one of the ways there are. */
function cut(socket: Socket, random: Random): void {
  const way = Math.floor(random() * 3);
  if (way === 0) socket.end();
  else if (way === 1) socket.destroy();
  else socket.resetAndDestroy();
}

async function runConnections(count: number, one: () => Promise<void>): Promise<void> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun++ < count) await one();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function waitClosed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
}

interface Remains {
  readonly heapBytes: number;
  readonly bufferBytes: number;
  readonly sockets: number;
}

async function readRemains(server: TestServer, meter: ReassemblyMeter): Promise<Remains> {
  await until(() => server.listener.connectionCount === 0 && server.server.callCount === 0);
  assert.equal(meter.usedBytes, 0);
  // The errors that were told hold the sockets they came from.
  server.errors.length = 0;
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket')).length;
  return { heapBytes: heapUsed, bufferBytes: arrayBuffers, sockets };
}

function expectNothingLeft(before: Remains, after: Remains): void {
  const text = JSON.stringify({ before, after });
  assert.equal(after.sockets, 0, text);
  assert.ok(after.heapBytes - before.heapBytes < TOLERATED_BYTES, text);
  assert.ok(after.bufferBytes - before.bufferBytes < TOLERATED_BYTES, text);
}

test(`${String(CONNECTIONS)} connections cut anywhere leave nothing behind`, async () => {
  const meter = new ReassemblyMeter(64 << 20, null);
  const server = await startServer(register, {}, { meter });
  const script = writeScript();
  const random = createSeededRandom(20_260);
  const one = async (): Promise<void> => {
    const socket = connect(server.listener.port, '127.0.0.1');
    const closed = waitClosed(socket);
    if (random() < 0.8) socket.resume();
    const bytes = script.subarray(0, Math.floor(random() * (script.length + 1)));
    const isPatient = random() < 0.3;
    socket.write(bytes, () => {
      if (isPatient) setImmediate(() => setImmediate(() => cut(socket, random)));
      else cut(socket, random);
    });
    // One that has said FIN and does not read would wait for ever.
    socket.once('finish', () => socket.resume());
    await closed;
  };
  await runConnections(WARM_UP, one);
  const before = await readRemains(server, meter);
  await runConnections(CONNECTIONS - WARM_UP, one);
  expectNothingLeft(before, await readRemains(server, meter));
  assert.ok(server.server.counters.calls > CONNECTIONS / 2);
  assert.deepEqual(server.bugs, []);
  await server.close();
});

test(`${String(TLS_CONNECTIONS)} TLS connections cut in the handshake and behind it leave nothing behind`, async () => {
  const files = createCertificates();
  const meter = new ReassemblyMeter(64 << 20, null);
  const server = await startServer(register, { tls: { cert: files.serverCert, key: files.serverKey } }, { meter });
  const script = writeScript();
  const random = createSeededRandom(20_261);
  const one = async (): Promise<void> => {
    const raw = connect(server.listener.port, '127.0.0.1');
    const closed = waitClosed(raw);
    const secure = connectTls({ socket: raw, ca: files.ca, servername: 'localhost', ALPNProtocols: ['h2'] });
    secure.on('error', () => undefined);
    secure.resume();
    secure.write(script.subarray(0, Math.floor(random() * script.length)));
    for (let turns = Math.floor(random() * 12); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (random() < 0.5) raw.resetAndDestroy();
    else raw.destroy();
    secure.destroy();
    await closed;
  };
  await runConnections(TLS_CONNECTIONS / 4, one);
  const before = await readRemains(server, meter);
  await runConnections((TLS_CONNECTIONS * 3) / 4, one);
  expectNothingLeft(before, await readRemains(server, meter));
  assert.deepEqual(server.bugs, []);
  await server.close();
  files.remove();
});
