import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, SimulatedClock, systemClock, type SatelliteError } from '../../../../../src/base/index.js';
import { MemoryBudget } from '../../../../../src/core/budget.js';
import type { ClientConnection } from '../../../../../src/net/grpc/contract.js';
import { callUnary } from '../../../../../src/net/grpc/index.js';
import { certificateExpiryMs, type ClientTlsSettings } from '../../../../../src/net/socket/index.js';
import { grpcServer } from '../../../../../src/plugins/server/grpc-server/index.js';
import { createCertificates, type TestCertificates } from '../../../../support/certificates.js';
import { CapturingLog } from '../../../../support/log.js';
import { RecordingMetrics } from '../../../../support/metrics.js';
import { MountedSecret } from '../../../../support/mounted-secret.js';
import { createTestDial, DIAL_DEFAULTS } from '../../../net/socket/rig.js';

const EXPIRY = 'satellite_grpc_server_certificate_expiry_timestamp_seconds';
const RELOADS = 'satellite_grpc_server_tls_reloads_total';
const CHECK_MS = 5000;

function secretOf(files: TestCertificates): Record<string, Buffer> {
  return { 'tls.crt': files.serverCert, 'tls.key': files.serverKey, 'ca.crt': files.ca };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

function connectTo(boundAddress: string, tls: ClientTlsSettings | null): Promise<ClientConnection> {
  const port = Number(boundAddress.slice(boundAddress.lastIndexOf(':') + 1));
  return new Promise((resolve, reject) => {
    createTestDial()(
      { kind: 'tcp', host: '127.0.0.1', port },
      { ...DIAL_DEFAULTS, tls },
      {
        onReady: resolve,
        onFreeStream: () => undefined,
        onDraining: () => undefined,
        onClosed: (_connection, error) => {
          reject(error ?? new Error('closed'));
        },
      },
    );
  });
}

test('certificates, key and authority swapped on disk serve new connections; a bad pair changes nothing', async () => {
  const [old, renewed] = [createCertificates(), createCertificates()];
  const secret = new MountedSecret(secretOf(old));
  const clock = new SimulatedClock(0, systemClock.wallNow());
  const log = new CapturingLog();
  const metrics = new RecordingMetrics();
  const config = grpcServer.schema.parse({
    address: '127.0.0.1:0',
    tls_cert_file: secret.path('tls.crt'),
    tls_key_file: secret.path('tls.key'),
    tls_ca_file: secret.path('ca.crt'),
    accept_limit: { cpu_utilization: 100 },
  });
  const settings = { clock, random: createSeededRandom(1), log, metrics, budget: new MemoryBudget(1 << 26) };
  const plugin = grpcServer.create(config, settings);
  await plugin.start();
  const showing = (files: TestCertificates): ClientTlsSettings => ({
    ca: files.ca,
    cert: files.clientCert,
    key: files.clientKey,
  });
  const check = async (connection: ClientConnection): Promise<number> =>
    (await callUnary(connection, '/grpc.health.v1.Health/Check', Buffer.alloc(0))).status.code;
  /** Readings of the files are made by a timer, and take turns of the event loop. */
  const passUntil = async (isTrue: () => boolean): Promise<void> => {
    for (let tries = 0; !isTrue(); tries++) {
      assert.ok(tries < 1000);
      clock.advance(CHECK_MS);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const open = await connectTo(plugin.boundAddress, showing(old));
  assert.equal(await check(open), 0);
  assert.equal(metrics.read(EXPIRY), certificateExpiryMs(old.serverCert) / 1000);

  secret.swap({ ...secretOf(renewed), 'tls.key': old.serverKey });
  await passUntil(() => metrics.read(RELOADS, { result: 'error' }) === 1);
  assert.match(log.lines.find((line) => line.level === 'error')!.fields.error!, /do not belong together/);
  const still = await connectTo(plugin.boundAddress, showing(old));
  assert.equal(await check(still), 0);
  assert.equal(metrics.read(EXPIRY), certificateExpiryMs(old.serverCert) / 1000);

  secret.swap(secretOf(renewed));
  await passUntil(() => metrics.read(RELOADS, { result: 'ok' }) === 1);
  assert.equal(metrics.read(EXPIRY), certificateExpiryMs(renewed.serverCert) / 1000);
  const next = await connectTo(plugin.boundAddress, showing(renewed));
  assert.equal(await check(next), 0);
  await assert.rejects(connectTo(plugin.boundAddress, showing(old)), (error: SatelliteError) => {
    return error.code === 'SAT_NET_TLS';
  });
  assert.equal(await check(open), 0);

  // A client that trusts the server but has no certificate: the log says so, once.
  const none = connectTo(plugin.boundAddress, { ca: renewed.ca });
  await none.catch(() => undefined);
  await until(() => log.lines.some((line) => (line.fields.error ?? '').includes('none was shown')));
  const line = log.lines.find((candidate) => (candidate.fields.error ?? '').includes('none was shown'))!;
  assert.deepEqual([line.level, line.message], ['warn', 'a TLS connection failed']);

  for (const connection of [open, still, next]) connection.destroy('the test is over');
  await plugin.close();
  assert.equal(metrics.read(EXPIRY), undefined);
  secret.remove();
  old.remove();
  renewed.remove();
});
