import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom, SimulatedClock, systemClock, type SatelliteError } from '../../../../../src/base/index.js';
import { MemoryBudget } from '../../../../../src/core/budget.js';
import type { ClientConnection } from '../../../../../src/net/grpc/contract.js';
import { callUnary, unaryMethod, unaryResponse } from '../../../../../src/net/grpc/index.js';
import type { ClientTlsSettings } from '../../../../../src/net/socket/index.js';
import { CpuMeter, readQuotaCores } from '../../../../../src/plugins/server/grpc-server/cpu-meter.js';
import { grpcServer } from '../../../../../src/plugins/server/grpc-server/index.js';
import { createCertificates } from '../../../../support/certificates.js';
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
    accept_limit: { cpu_utilization: 75, connection_count: 4000 },
  });
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

test('CPU is measured over at least a period, in percent of what the process can use', () => {
  const clock = new SimulatedClock(1000);
  let cpuMs = 0;
  const meter = new CpuMeter(clock, 0.5, () => cpuMs);
  cpuMs = 900;
  clock.advance(4000);
  assert.equal(meter.percent(), 0);
  clock.advance(2000);
  assert.equal(meter.percent(), 30);
  cpuMs = 100_000;
  clock.advance(5000);
  assert.equal(meter.percent(), 100);
});

test('the quota of the container is read in both versions of cgroups', () => {
  const files: Record<string, string> = { '/sys/fs/cgroup/cpu.max': '50000 100000\n' };
  const read = (path: string): string => files[path] ?? '';
  assert.equal(readQuotaCores(read), 0.5);
  files['/sys/fs/cgroup/cpu.max'] = 'max 100000\n';
  assert.equal(readQuotaCores(read), Infinity);
  delete files['/sys/fs/cgroup/cpu.max'];
  assert.equal(readQuotaCores(read), Infinity);
  files['/sys/fs/cgroup/cpu/cpu.cfs_quota_us'] = '200000';
  files['/sys/fs/cgroup/cpu/cpu.cfs_period_us'] = '100000';
  assert.equal(readQuotaCores(read), 2);
});
