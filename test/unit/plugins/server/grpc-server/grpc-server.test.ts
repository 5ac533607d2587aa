import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom, systemClock, type SatelliteError } from '../../../../../src/base/index.js';
import { MemoryBudget } from '../../../../../src/core/budget.js';
import type { ClientConnection } from '../../../../../src/net/grpc/contract.js';
import { callUnary, unaryMethod, unaryResponse } from '../../../../../src/net/grpc/index.js';
import type { ClientTlsSettings } from '../../../../../src/net/socket/index.js';
import { grpcServer } from '../../../../../src/plugins/server/grpc-server/index.js';
import { createCertificates } from '../../../../support/certificates.js';
import { CLIENT_PREFACE } from '../../../../../src/net/http2/index.js';
import { frame, settingsFrame } from '../../../../support/peer.js';
import { CapturingLog } from '../../../../support/log.js';
import { RecordingMetrics } from '../../../../support/metrics.js';
import { createTestDial, DIAL_DEFAULTS } from '../../../net/socket/rig.js';

const BUDGET_BYTES = 64 * 1024 * 1024;

function create(options: Record<string, unknown>) {
  const log = new CapturingLog();
  const metrics = new RecordingMetrics();
  const settings = {
    clock: systemClock,
    random: createSeededRandom(1),
    log,
    metrics,
    budget: new MemoryBudget(BUDGET_BYTES),
  };
  const plugin = grpcServer.create(grpcServer.schema.parse(options), settings);
  return { plugin, log, metrics };
}

function connectTo(
  boundAddress: string,
  tls: ClientTlsSettings | null = null,
  onDraining: (reason: Error) => void = () => undefined,
): Promise<ClientConnection> {
  const port = Number(boundAddress.slice(boundAddress.lastIndexOf(':') + 1));
  return new Promise((resolve, reject) => {
    createTestDial()(
      { kind: 'tcp', host: '127.0.0.1', port },
      { ...DIAL_DEFAULTS, tls },
      {
        onReady: resolve,
        onFreeStream: () => undefined,
        onDraining: (_connection, reason) => {
          onDraining(new Error(reason));
        },
        onClosed: (_connection, error) => {
          reject(error ?? new Error('closed'));
        },
      },
    );
  });
}

test('defaults are those of the original, but for the message size', () => {
  assert.deepEqual(grpcServer.schema.parse({}), {
    address: ':11800',
    network: 'tcp',
    max_recv_msg_size: 50 * 1024 * 1024,
    max_concurrent_streams: 32,
    tls_cert_file: '',
    tls_key_file: '',
    tls_ca_file: '',
    tls_client_auth: 'required',
    max_connection_age: 0,
    max_connection_age_grace: 30_000,
    max_connection_idle: 0,
    keepalive_time: 0,
    keepalive_timeout: 20_000,
    accept_limit: { cpu_utilization: 75, connection_count: 4000 },
  });
});

test('client certificates without TLS are a configuration error', () => {
  const wrong = grpcServer.schema.safeParse({ tls_ca_file: '/ca.pem' });
  assert.deepEqual(
    wrong.error?.issues.map((issue) => issue.path.join('.')),
    ['tls_ca_file'],
  );
});

test('half of TLS and an unreadable address are configuration errors, each at its option', () => {
  const wrong = grpcServer.schema.safeParse({ address: 'eleven', tls_cert_file: '/x.pem' });
  assert.deepEqual(
    wrong.error?.issues.map((issue) => issue.path.join('.')),
    ['address', 'tls_key_file'],
  );
});

test('it serves what is registered, counts its connections and says where it listens', async () => {
  const { plugin, log, metrics } = create({ address: '127.0.0.1:0', accept_limit: { cpu_utilization: 100 } });
  plugin.registry.register(
    '/test.A/B',
    unaryMethod((request) => request),
  );
  await plugin.start();
  const connection = await connectTo(plugin.boundAddress);
  const reply = await callUnary(connection, '/test.A/B', Buffer.from('hi'));
  assert.equal(Buffer.from(unaryResponse(reply)).toString(), 'hi');
  assert.equal(metrics.read('grpc_server_connection_count'), 1);
  assert.equal(metrics.read('grpc_server_cpu_gauge'), 0);
  assert.ok(log.lines.some((line) => line.fields.address === plugin.boundAddress));
  await callUnary(connection, '/test.No/Such', Buffer.alloc(0));
  assert.equal(metrics.read('satellite_grpc_server_unknown_method_calls_total'), 1);
  const health = await callUnary(connection, '/grpc.health.v1.Health/Check', Buffer.alloc(0));
  assert.deepEqual([...unaryResponse(health)], [8, 1]);
  connection.drain();
  await plugin.drain(systemClock.now() + 30_000);
  await plugin.close();
  assert.equal(metrics.read('grpc_server_connection_count'), undefined);
});

test('connections over the limit are refused with the reason, counted and logged', async () => {
  const { plugin, log, metrics } = create({
    address: '127.0.0.1:0',
    accept_limit: { cpu_utilization: 100, connection_count: 1 },
  });
  await plugin.start();
  const connection = await connectTo(plugin.boundAddress);
  const reason = await new Promise<string>((resolve) => {
    const reject = (error: Error): void => {
      resolve(error.message);
    };
    void connectTo(plugin.boundAddress, null, reject);
  });
  assert.equal(reason, 'NO_ERROR: the connection limit of this server is reached');
  assert.equal(metrics.read('satellite_grpc_server_refused_connections_total', { reason: 'connections' }), 1);
  assert.ok(log.lines.some((line) => line.message === 'a connection was refused'));
  connection.drain();
  await plugin.close();
});

test('a taken address fails the start with its name', async () => {
  const first = create({ address: '127.0.0.1:0' }).plugin;
  await first.start();
  const second = create({ address: first.boundAddress }).plugin;
  await assert.rejects(second.start(), (error: SatelliteError) => error.code === 'SAT_NET_LISTEN');
  await first.close();
  await second.close();
});

test('certificate and key files switch TLS on; a missing file fails the start', async () => {
  const files = createCertificates();
  const directory = mkdtempSync(join(tmpdir(), 'satellite-server-'));
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  writeFileSync(certFile, files.serverCert);
  const options = { address: '127.0.0.1:0', tls_cert_file: certFile, tls_key_file: keyFile };
  await assert.rejects(create(options).plugin.start(), /key\.pem/);
  writeFileSync(keyFile, files.serverKey);
  const { plugin } = create(options);
  await plugin.start();
  const connection = await connectTo(plugin.boundAddress, { ca: files.ca });
  assert.equal((await callUnary(connection, '/grpc.health.v1.Health/Check', Buffer.alloc(0))).status.code, 0);
  connection.drain();
  await plugin.close();
  files.remove();
  rmSync(directory, { recursive: true });
});

test('a TLS file that cannot be used fails the start with its option, its path and what is wrong', async () => {
  const [files, others] = [createCertificates(), createCertificates()];
  const directory = mkdtempSync(join(tmpdir(), 'satellite-server-'));
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const cert = write('cert.pem', files.serverCert);
  const key = write('key.pem', files.serverKey);
  const block = (kind: string): string => `-----BEGIN ${kind}-----\nAA==\n-----END ${kind}-----\n`;
  const cases: readonly [object, string][] = [
    [{ tls_cert_file: join(directory, 'none') }, `tls_cert_file ${join(directory, 'none')} does not exist`],
    [{ tls_key_file: directory }, `tls_key_file ${directory} is a directory`],
    [{ tls_cert_file: key }, `tls_cert_file ${key} holds no certificate in PEM form`],
    [{ tls_cert_file: write('empty', '') }, `holds no certificate in PEM form`],
    [
      { tls_cert_file: write('torn', block('CERTIFICATE')) },
      `tls_cert_file ${join(directory, 'torn')} cannot be parsed: `,
    ],
    [{ tls_key_file: write('torn.key', block('PRIVATE KEY')) }, `torn.key cannot be parsed: `],
    [
      { tls_key_file: write('locked', block('ENCRYPTED PRIVATE KEY')) },
      'locked is encrypted; a key without a passphrase',
    ],
    [
      { tls_key_file: write('other.key', others.serverKey) },
      `and tls_key_file ${join(directory, 'other.key')} do not belong`,
    ],
    [{ tls_ca_file: key }, `tls_ca_file ${key} holds no certificate in PEM form`],
  ];
  for (const [wrong, text] of cases) {
    const { plugin } = create({ address: '127.0.0.1:0', tls_cert_file: cert, tls_key_file: key, ...wrong });
    await assert.rejects(plugin.start(), (error: SatelliteError) => {
      assert.equal(error.code, 'SAT_NET_LISTEN');
      assert.ok(error.message.includes(text), error.message);
      return true;
    });
  }
  for (const made of [files, others]) made.remove();
  rmSync(directory, { recursive: true });
});

test('a peer that breaks the rules is counted by what it did', async () => {
  const { plugin, metrics } = create({ address: '127.0.0.1:0', accept_limit: { cpu_utilization: 100 } });
  await plugin.start();
  const flood = Buffer.concat(Array.from({ length: 101 }, () => settingsFrame()));
  assert.match(await sayAndListen(plugin.boundAddress, flood), /flood guard settings/);
  assert.equal(metrics.read('satellite_grpc_server_guard_trips_total', { guard: 'settings' }), 1);
  assert.match(await sayAndListen(plugin.boundAddress, frame('PING', 0, 1, Buffer.alloc(8))), /wrong stream/);
  const labels = { scope: 'connection', code: 'PROTOCOL_ERROR' };
  assert.equal(metrics.read('satellite_grpc_server_protocol_errors_total', labels), 1);
  await plugin.close();
});

/** Opens a connection, sends `bytes` behind the preface, and reads to the end. */
async function sayAndListen(boundAddress: string, bytes: Buffer): Promise<string> {
  const socket = connect(Number(boundAddress.slice(boundAddress.lastIndexOf(':') + 1)), '127.0.0.1');
  socket.write(Buffer.concat([CLIENT_PREFACE, settingsFrame(), bytes]));
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
  return text;
}

test('the unix socket of a process that was killed is taken over, one in use or another file is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satellite-unix-'));
  try {
    const path = join(folder, 's.sock');
    const listenAndDie = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', listenAndDie]);
    const { plugin } = create({ network: 'unix', address: path });
    await plugin.start();
    const second = create({ network: 'unix', address: path }).plugin;
    await assert.rejects(second.start(), { code: 'SAT_NET_LISTEN' });
    await plugin.close();
    const file = join(folder, 'file');
    writeFileSync(file, 'kept');
    const third = create({ network: 'unix', address: file }).plugin;
    await assert.rejects(third.start(), {
      message: `cannot listen on ${file}: a file of that name is there that is no socket`,
    });
    const lost = create({ network: 'unix', address: join(folder, 'none', 's.sock') }).plugin;
    await assert.rejects(lost.start(), { code: 'SAT_NET_LISTEN', message: /: there is no directory .*none$/ });
    assert.equal(readFileSync(file, 'utf8'), 'kept');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
