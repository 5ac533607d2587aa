/**
 * Bytes that tell whose they are: every message that arrives anywhere must be, byte for byte, the one that its number
 * stands for, whatever the sizes, cuts and faults (CONTENT_SECONDS, CONTENT_SEED). Both ends are node's own HTTP/2.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2, { type ClientHttp2Session, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createSeededRandom, type Random } from '../../../src/base/index.js';
import { bytesField } from '../../support/als.js';
import { createCertificates } from '../../support/certificates.js';
import { eventually } from '../../support/eventually.js';
import { sumOf } from '../../support/exposition.js';
import { Satellite, writeAlsConfig, type SatellitePorts } from '../../support/satellite.js';

const SECONDS = Number(process.env.CONTENT_SECONDS ?? 2);
const SEED = Number(process.env.CONTENT_SEED ?? 1);
const ALS_PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
const RELAY_PATH = '/skywalking.v3.ManagementService/keepAlive';
const CHECK_PATH = '/grpc.health.v1.Health/Check';
const SOURCES = 12;
const SETTLED_WITHIN_MS = 60_000;
/** Of the OAPs: cut into crumbs, the protocol's own, and more than a batch. @units bytes */
const WINDOWS = [1000, 65_535, 4_000_000];
const CANCEL = 8;

/** Number and length, then bytes that follow from the number. */
function bodyOf(id: number, length: number): Buffer {
  const body = Buffer.alloc(8 + length);
  body.writeUInt32LE(id, 0);
  body.writeUInt32LE(length, 4);
  let state = (id * 2654435761 + 1) >>> 0;
  for (let at = 8; at < body.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    body[at] = state >>> 24;
  }
  return body;
}

function field(number: number, bytes: Uint8Array): Buffer {
  const head = [(number << 3) | 2];
  for (let rest = bytes.length; ; rest >>>= 7) {
    head.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
    if (rest < 0x80) return Buffer.concat([Buffer.from(head), bytes]);
  }
}

function envelope(message: Uint8Array, isCompressed: boolean): Buffer {
  const body = isCompressed ? gzipSync(message, { level: 1 }) : message;
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

function requestHeaders(path: string, encoding: string): http2.OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-encoding': encoding,
  };
}

/** Messages that end with their call; `onMessage` of each. */
function readMessages(stream: NodeJS.ReadableStream, onMessage: (body: Buffer) => void): void {
  let held = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 5 && held.length >= 5 + held.readUInt32BE(1)) {
      const end = 5 + held.readUInt32BE(1);
      onMessage(held.subarray(5, end));
      held = held.subarray(end);
    }
  });
}

/** An OAP that checks all it gets, and often fails. */
class CheckingOap {
  /** Numbers of messages in calls that were answered with OK. */
  readonly arrived = new Set<number>();
  readonly faults: string[] = [];
  isSound = false;
  private readonly random: Random;
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly server: http2.Http2Server;

  constructor(windowBytes: number, random: Random) {
    this.random = random;
    this.server = http2.createServer({ settings: { initialWindowSize: windowBytes } });
    this.server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => this.sessions.delete(session));
    });
    this.server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (headers[':path'] === RELAY_PATH) this.echo(stream);
      else this.take(stream);
    });
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const session of this.sessions) session.destroy();
    this.server.close();
  }

  private echo(stream: ServerHttp2Stream): void {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.pipe(stream);
  }

  private take(stream: ServerHttp2Stream): void {
    const chance = this.isSound ? 1 : this.random();
    const ids: number[] = [];
    let node = '';
    let count = 0;
    const failAt = Math.floor(this.random() * 20);
    readMessages(stream, (body) => {
      node = this.check(body, node, ids);
      if (count++ < failAt || stream.destroyed) return;
      if (chance < 0.06) stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
      else if (chance < 0.1) this.answer(stream, '14');
      else if (chance < 0.12) stream.session?.destroy();
      else if (chance < 0.2 && !stream.isPaused()) {
        stream.pause();
        setTimeout(() => stream.resume(), 300);
      }
    });
    stream.on('end', () => {
      if (stream.destroyed || stream.headersSent) return;
      if (chance < 0.25) {
        this.answer(stream, '14');
        return;
      }
      for (const id of ids) this.arrived.add(id);
      this.answer(stream, '0');
    });
  }

  private answer(stream: ServerHttp2Stream, status: string): void {
    if (!stream.headersSent)
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status },
        { endStream: true },
      );
  }

  /** @returns the node that the call's messages are of now */
  private check(message: Buffer, before: string, ids: number[]): string {
    const identifier = bytesField(message, 1);
    const node = identifier === undefined ? before : Buffer.from(bytesField(identifier, 2) ?? []).toString();
    const logs = bytesField(message, 2);
    if (logs === undefined) {
      if (identifier === undefined && message.length > 0) this.faults.push(`${message.length} bytes of nothing`);
      return node;
    }
    const body = Buffer.from(bytesField(logs, 1) ?? []);
    const id = body.length < 8 ? -1 : body.readUInt32LE(0);
    if (id < 0 || !body.equals(bodyOf(id, body.readUInt32LE(4))))
      this.faults.push(`the bytes of ${id} are not its own`);
    else if (node !== `node ${id % SOURCES}`) this.faults.push(`${id} came as one of ${node}`);
    ids.push(id);
    return node;
  }
}

/** What one source has sent in calls that it ended as one should. */
class Load {
  readonly complete: number[] = [];
  readonly faults: string[] = [];
  private readonly random: Random;
  private readonly connect: () => ClientHttp2Session;
  private sent = 0;

  constructor(random: Random, connect: () => ClientHttp2Session) {
    this.random = random;
    this.connect = connect;
  }

  async run(source: number, untilMs: number): Promise<void> {
    let session = this.connect();
    while (performance.now() < untilMs) {
      if (session.closed || session.destroyed) session = this.connect();
      const dice = this.random();
      if (dice < 0.15) await this.unary(session, RELAY_PATH, bodyOf(this.sent, this.size()));
      else if (dice < 0.2) await this.unary(session, CHECK_PATH, null);
      else await this.stream(session, source, this.random());
      if (dice > 0.97) session.destroy();
    }
    session.close();
  }

  private size(): number {
    const dice = this.random();
    return Math.floor(this.random() * (dice < 0.5 ? 300 : dice < 0.9 ? 20_000 : dice < 0.98 ? 150_000 : 2_500_000));
  }

  private async stream(session: ClientHttp2Session, source: number, fate: number): Promise<void> {
    const isZipped = this.random() < 0.3;
    const stream = session.request(requestHeaders(ALS_PATH, isZipped ? 'gzip' : 'identity'));
    stream.on('error', () => undefined).resume();
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    let status: unknown;
    stream.on('trailers', (trailers: http2.IncomingHttpHeaders) => {
      status = trailers['grpc-status'];
    });
    const ids: number[] = [];
    const count = 1 + Math.floor(this.random() * 12);
    const identifier = field(1, field(2, Buffer.from(`node ${source}`)));
    for (let index = 0; index < count && !stream.closed; index++) {
      const id = this.sent++ * SOURCES + source;
      // Nothing but an identifier first, now and then, and an empty message.
      const isEmpty = this.random() < 0.1;
      const logs = isEmpty ? Buffer.alloc(0) : field(2, field(1, bodyOf(id, this.size())));
      const message = index === 0 || this.random() < 0.1 ? Buffer.concat([identifier, logs]) : logs;
      if (!isEmpty) ids.push(id);
      const bytes = envelope(message, isZipped && this.random() < 0.8);
      if (fate < 0.06 && index === count - 1) {
        stream.write(bytes.subarray(0, Math.floor(this.random() * bytes.length)));
        await sleep(this.random() * 20);
        stream.close(CANCEL);
        break;
      }
      if (fate > 0.96 && index === count - 1) bytes.fill(0xaa, 5).fill(1, 0, 1);
      await this.write(stream, bytes);
    }
    if (!stream.closed) stream.end();
    await closed;
    if (status === '0') this.complete.push(...ids);
  }

  private async write(stream: http2.ClientHttp2Stream, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !stream.closed;) {
      const end = Math.min(bytes.length, at + 1 + Math.floor(this.random() ** 3 * 70_000));
      const piece = bytes.subarray(at, end);
      at = end;
      if (this.random() < 0.5) stream.write(piece);
      else await new Promise<void>((resolve) => stream.write(piece, () => resolve()));
    }
  }

  private async unary(session: ClientHttp2Session, path: string, body: Buffer | null): Promise<void> {
    const stream = session.request(requestHeaders(path, 'identity'));
    stream.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => stream.once('close', resolve));
    readMessages(stream, (reply) => {
      if (body !== null && !reply.equals(body)) this.faults.push('an answer is not what was asked');
    });
    await this.write(stream, envelope(body ?? field(1, Buffer.from('grpc.health.v1.Health')), false));
    stream.end();
    await closed;
  }
}

function configOf(oaps: readonly string[], serverOptions: Readonly<Record<string, string>>) {
  const als = writeAlsConfig({
    oaps,
    serverOptions,
    receiverOptions: { flush_time: 100 },
    senderOptions: { stall_timeout: '2s', flush_time: 100 },
    clientOptions: { timeout: '{ unary: "5s", stream: "3s" }' },
  });
  return (ports: SatellitePorts): string => `${als(ports)}
  - common_config: { pipe_name: management }
    gatherer:
      server_name: grpc-server
      receiver: { plugin_name: grpc-native-management-receiver }
      queue: { plugin_name: none-queue }
    processor: { filters: }
    sender:
      fallbacker: { plugin_name: none-fallbacker }
      client_name: grpc-client
      forwarders: [{ plugin_name: native-management-grpc-forwarder }]
`;
}

for (const isTls of [false, true]) {
  test(`each byte is its own message's, for ${SECONDS} s with faults (seed ${SEED}, ${isTls ? 'TLS' : 'plain'})`, async (t) => {
    const random = createSeededRandom(SEED);
    const oaps = WINDOWS.map((windowBytes) => new CheckingOap(windowBytes, random));
    const addresses = await Promise.all(oaps.map((oap) => oap.start()));
    const files = createCertificates();
    const tls = { tls_cert_file: `${files.directory}/server.pem`, tls_key_file: `${files.directory}/server.key` };
    const satellite = await Satellite.start({ config: configOf(addresses, isTls ? tls : {}) });
    t.after(async () => {
      await satellite.child.kill();
      for (const oap of oaps) oap.close();
      files.remove();
    });
    const url = `${isTls ? 'https' : 'http'}://127.0.0.1:${satellite.grpcPort}`;
    const loads = Array.from(
      { length: SOURCES },
      () => new Load(random, () => http2.connect(url, { ca: files.ca }).on('error', () => undefined)),
    );
    const untilMs = performance.now() + SECONDS * 1000;
    await Promise.all(loads.map((load, source) => load.run(source, untilMs)));
    for (const oap of oaps) oap.isSound = true;
    const metric = async (name: string): Promise<number> => sumOf(await satellite.scrape(), name);
    await eventually({ until: 'nothing is held', withinMs: SETTLED_WITHIN_MS }, async () =>
      (await metric('ledger_held')) === 0 ? true : undefined,
    );
    const arrived = new Set(oaps.flatMap((oap) => [...oap.arrived]));
    const sent = loads.flatMap((load) => load.complete);
    t.diagnostic(`${sent.length} messages sent, ${arrived.size} arrived`);
    assert.deepEqual([...oaps, ...loads].flatMap(({ faults }) => faults).slice(0, 20), []);
    assert.deepEqual(
      sent.filter((id) => !arrived.has(id)),
      [],
      satellite.child.output.slice(-3000),
    );
    assert.ok(sent.length > SOURCES);
    await eventually({ until: 'the memory budget is unused', withinMs: 10_000 }, async () =>
      (await metric('satellite_memory_budget_used_bytes')) === 0 ? true : undefined,
    );
    assert.equal(await metric('satellite_grpc_server_handler_errors_total'), 0);
    assert.equal(await metric('satellite_uncaught_errors_count'), 0);
  });
}
