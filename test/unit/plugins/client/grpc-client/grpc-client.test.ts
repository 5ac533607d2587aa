import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { SimulatedClock, systemClock, systemRandom, type Clock } from '../../../../../src/base/index.js';
import { MemoryBudget } from '../../../../../src/core/budget.js';
import { OUTCOME } from '../../../../../src/core/channel.js';
import type { Channel, Lease } from '../../../../../src/core/channel.js';
import type { ClientPlugin } from '../../../../../src/core/plugin.js';
import type { HeaderFields } from '../../../../../src/net/http2/contract.js';
import type { MethodRegistry, Status } from '../../../../../src/net/grpc/contract.js';
import { fieldOf } from '../../../../../src/net/grpc/index.js';
import { createGrpcClient } from '../../../../../src/plugins/client/grpc-client/index.js';
import { staticFinder } from '../../../../../src/plugins/finder/static/index.js';
import { certificateExpiryMs } from '../../../../../src/net/socket/index.js';
import { createCertificates, type TestCertificates } from '../../../../support/certificates.js';
import { MountedSecret } from '../../../../support/mounted-secret.js';
import { eventually } from '../../../../support/eventually.js';
import { frame, settingsFrame } from '../../../../support/peer.js';
import { CapturingLog } from '../../../../support/log.js';
import { RecordingMetrics } from '../../../../support/metrics.js';
import { startServer } from '../../../net/socket/rig.js';
import type { TestServer } from '../../../net/socket/rig.js';

const PATH = '/test.Service/Collect';

interface Backend extends TestServer {
  /** Metadata of each call. */
  readonly calls: HeaderFields[];
  readonly port: number;
}

async function startBackend(): Promise<Backend> {
  const calls: HeaderFields[] = [];
  const register = (registry: MethodRegistry): void => {
    registry.register(PATH, {
      onCall: (call) => void calls.push(call.metadata),
      onMessage: () => undefined,
      onHalfClose: (call) => {
        call.finish(0);
      },
      onEnd: () => undefined,
    });
  };
  const server = await startServer(register, { maxConcurrentStreams: 4 });
  return Object.assign(server, { calls, port: server.listener.port });
}

function createClient(
  options: object,
  metrics = new RecordingMetrics(),
  log = new CapturingLog(),
  clock: Clock = systemClock,
): ClientPlugin {
  const definition = createGrpcClient([staticFinder]);
  const settings = { clock, random: systemRandom, log, metrics, budget: new MemoryBudget(1 << 26) };
  return definition.create(definition.schema.parse(options), settings);
}

/** Leases as a sender does: refused, it waits to be woken. */
function lease(channel: Channel): Promise<Lease> {
  return new Promise((resolve) => {
    const attempt = (): void => {
      const given = channel.lease(1_000, 1, null);
      if (given === null) return;
      unsubscribe();
      resolve(given);
    };
    const unsubscribe = channel.subscribe(attempt);
    attempt();
  });
}

async function call(channel: Channel): Promise<Status> {
  const given = await lease(channel);
  return new Promise((resolve) => {
    const outgoing = given.openCall(
      PATH,
      {
        onMessage: () => undefined,
        onStatus: (_call, status) => {
          given.settle(status.code === 0 ? OUTCOME.ok : OUTCOME.endpointFailed, status);
          resolve(status);
        },
      },
      {},
    )!;
    outgoing.sendMessage([Buffer.from('hello')], 5);
    outgoing.halfClose();
  });
}

describe('grpc-client over sockets', () => {
  it('makes calls to every address of the list, each with the token', async () => {
    const backends = await Promise.all([startBackend(), startBackend()]);
    const [one, two] = backends;
    const metrics = new RecordingMetrics();
    const server_addr = ` 127.0.0.1:${one.port} ,localhost:${two.port}`;
    const client = createClient({ server_addr, authentication: 'secret\n' }, metrics);
    await client.start();
    try {
      while (one.calls.length === 0 || two.calls.length === 0) assert.equal((await call(client.channel)).code, 0);
      for (let count = 0; count < 20; count++) assert.equal((await call(client.channel)).code, 0);
      for (const metadata of [...one.calls, ...two.calls]) assert.equal(fieldOf(metadata, 'authentication'), 'secret');
      assert.ok(Math.abs(one.calls.length - two.calls.length) <= 22);
      const labels = client.channel.endpoints().map((endpoint) => endpoint.address);
      assert.deepEqual(labels, [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`]);
      assert.equal(metrics.read('satellite_endpoint_state', { endpoint: labels[0]! }), 2);
    } finally {
      await client.close();
      await Promise.all(backends.map((backend) => backend.close()));
    }
  });

  it('runs more calls at once than one connection may have', async () => {
    const backend = await startBackend();
    const client = createClient({ server_addr: `127.0.0.1:${backend.port}` });
    await client.start();
    try {
      const statuses = await Promise.all(Array.from({ length: 40 }, () => call(client.channel)));
      assert.ok(statuses.every((status) => status.code === 0));
      assert.ok(backend.listener.connectionCount > 1);
      assert.ok(backend.listener.connectionCount <= 8);
    } finally {
      await client.close();
      await backend.close();
    }
  });

  it('starts without a backend, holds what it cannot send, and delivers when one appears', async () => {
    const before = await startBackend();
    const { port } = before;
    await before.close();
    const log = new CapturingLog();
    const client = createClient({ server_addr: `127.0.0.1:${port}`, check_period: '200ms' }, undefined, log);
    await client.start();
    const waiting = call(client.channel);
    const address = { kind: 'tcp', host: '127.0.0.1', port } as const;
    const server = await startServer(
      (registry) => {
        registry.register(PATH, {
          onCall: () => undefined,
          onMessage: () => undefined,
          onHalfClose: (incoming) => {
            incoming.finish(0);
          },
          onEnd: () => undefined,
        });
      },
      { address },
    );
    try {
      assert.equal((await waiting).code, 0);
    } finally {
      await client.close();
      await server.close();
    }
  });

  it('says at start which TLS file is wrong', async () => {
    const client = createClient({ server_addr: '127.0.0.1:1', enable_tls: true, ca_pem_path: '/none/ca.pem' });
    await assert.rejects(client.start(), { code: 'SAT_PLG_TLS_FILE' });
    await client.close();
  });

  it('shows a certificate renewed on disk on new connections, and says when it expires', async () => {
    const [old, renewed] = [createCertificates(), createCertificates()];
    const secretOf = (files: TestCertificates): Record<string, Buffer> => ({
      'tls.crt': files.clientCert,
      'tls.key': files.clientKey,
      'ca.crt': files.ca,
    });
    const secret = new MountedSecret(secretOf(old));
    const tls = { cert: renewed.serverCert, key: renewed.serverKey, ca: renewed.ca };
    const backend = await startServer(() => undefined, { tls });
    const metrics = new RecordingMetrics();
    const log = new CapturingLog();
    const clock = new SimulatedClock(0, systemClock.wallNow());
    const options = {
      server_addr: `localhost:${backend.listener.port}`,
      enable_tls: true,
      insecure_skip_verify: false,
      client_pem_path: secret.path('tls.crt'),
      client_key_path: secret.path('tls.key'),
      ca_pem_path: secret.path('ca.crt'),
      check_period: '1s',
    };
    const client = createClient(options, metrics, log, clock);
    await client.start();
    const expiry = (): number | undefined => metrics.read('satellite_grpc_client_certificate_expiry_timestamp_seconds');
    const passUntil = async (isTrue: () => boolean): Promise<void> => {
      for (let tries = 0; !isTrue(); tries++) {
        assert.ok(tries < 1000);
        clock.advance(1000);
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    try {
      await passUntil(() => log.messages('warn').some((text) => text.includes('authority is not')));
      assert.equal(expiry(), certificateExpiryMs(old.clientCert) / 1000);
      assert.equal(client.channel.endpoints()[0]?.isReady, false);
      secret.swap(secretOf(renewed));
      await passUntil(() => client.channel.endpoints()[0]?.isReady === true);
      assert.equal(expiry(), certificateExpiryMs(renewed.clientCert) / 1000);
      assert.equal(metrics.read('satellite_grpc_client_tls_reloads_total', { result: 'ok' }), 1);
    } finally {
      await client.close();
      await backend.close();
      for (const made of [secret, old, renewed]) made.remove();
    }
  });

  it('counts what a backend does wrong', async () => {
    const misdeeds = [Array.from({ length: 101 }, () => settingsFrame()), [frame('PING', 0, 1, Buffer.alloc(8))]];
    const backend = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(Buffer.concat([settingsFrame(), ...(misdeeds.shift() ?? [])]));
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const metrics = new RecordingMetrics();
    const { port } = backend.address() as AddressInfo;
    const client = createClient({ server_addr: `127.0.0.1:${port}`, check_period: '100ms' }, metrics);
    await client.start();
    const broken = { scope: 'connection', code: 'PROTOCOL_ERROR' };
    await eventually({ until: 'both misdeeds are counted', withinMs: 10_000 }, () => {
      const trips = metrics.read('satellite_grpc_client_guard_trips_total', { guard: 'settings' });
      return trips === 1 && metrics.read('satellite_grpc_client_protocol_errors_total', broken) === 1
        ? true
        : undefined;
    });
    await client.close();
    backend.close();
  });

  it('refuses to start with a key that is not the certificate’s', async () => {
    const [one, other] = [createCertificates(), createCertificates()];
    const secret = new MountedSecret({ 'tls.crt': one.clientCert, 'tls.key': other.clientKey });
    const paths = { client_pem_path: secret.path('tls.crt'), client_key_path: secret.path('tls.key') };
    const client = createClient({ server_addr: '127.0.0.1:1', enable_tls: true, ...paths });
    await assert.rejects(client.start(), { code: 'SAT_PLG_TLS_FILE', message: /do not belong together/ });
    await client.close();
    for (const made of [secret, one, other]) made.remove();
  });
});
