import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decodeConfig } from '../../../../src/app/config/index.js';
import type { SatelliteConfig } from '../../../../src/app/config/index.js';
import { formatProblem } from '../../../../src/app/config/problem.js';
import { sampleCatalogue } from './sample-catalogue.js';

const SHIPPED = 'configs/satellite_config.yaml';

function decodeShipped(environment: Readonly<Record<string, string>> = {}): SatelliteConfig {
  const { config, problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, environment, sampleCatalogue);
  const faults = problems.filter((problem) => problem.severity !== 'warning');
  assert.deepEqual(
    faults.map((problem) => formatProblem(SHIPPED, problem)),
    [],
  );
  assert.ok(config !== null);
  return config;
}

test('the shipped file decodes without a fault, and tells that pprof comes later and that the backends are to be named', () => {
  const { problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, {}, sampleCatalogue);
  assert.deepEqual(
    problems.map((problem) => [problem.severity, problem.kind.code, problem.path]),
    [
      ['warning', 'SAT_CFG_NOT_YET', 'telemetry.export_type'],
      ['warning', 'SAT_CFG_LOOP', 'sharing.clients[0].server_addr'],
    ],
  );
});

test('the shipped file has the defaults of the original', () => {
  const config = decodeShipped();
  assert.equal(config.logger.log_pattern, '%time [%level][%field] - %msg');
  assert.equal(config.logger.time_pattern, '2006-01-02 15:04:05.000');
  assert.equal(config.logger.level, 'info');
  assert.equal(config.telemetry.cluster, 'satellite-cluster');
  assert.deepEqual(config.telemetry.export_type, ['prometheus']);
  assert.deepEqual(config.telemetry.prometheus, { address: ':1234', endpoint: '/metrics' });
  assert.deepEqual(config.sharing.clients[0]?.options, {
    finder_type: 'static',
    server_addr: '127.0.0.1:11800',
    enable_tls: false,
    client_pem_path: 'client.pem',
    client_key_path: 'client.key',
    ca_pem_path: 'ca.pem',
    insecure_skip_verify: false,
    authentication: '',
    check_period: 5000,
    timeout: { unary: 5000, stream: 20000 },
  });
  assert.deepEqual(config.sharing.servers[0]?.options, {
    address: ':11800',
    max_recv_msg_size: 50 * 1024 * 1024,
    max_concurrent_streams: 32,
    tls_cert_file: '',
    tls_key_file: '',
    accept_limit: { cpu_utilization: 75, connection_count: 4000 },
  });
  assert.deepEqual(
    config.pipes.map((pipe) => [pipe.name, pipe.gatherer.receiver.name, pipe.sender.options.max_buffer_size]),
    [
      ['logpipe', 'grpc-native-log-receiver', 200],
      ['managementpipe', 'grpc-native-management-receiver', 20],
      ['envoy-als-v2', 'grpc-envoy-als-v2-receiver', 200],
      ['envoy-als-v3', 'grpc-envoy-als-v3-receiver', 200],
    ],
  );
});

test('the environment of the performance page reaches every pipe', () => {
  const config = decodeShipped({
    SATELLITE_QUEUE_PARTITION: '50',
    SATELLITE_QUEUE_EVENT_BUFFER_SIZE: '3000',
    SATELLITE_ENVOY_ALS_V3_PIPE_RECEIVER_FLUSH_TIME: '3000',
    SATELLITE_ENVOY_ALS_V3_PIPE_SENDER_FLUSH_TIME: '3000',
    SATELLITE_GRPC_CLIENT: 'oap-1:11800,oap-2:11800',
    SATELLITE_GRPC_ACCEPT_LIMIT_CPU_UTILIZATION: '100',
  });
  for (const pipe of config.pipes) {
    assert.deepEqual(pipe.gatherer.queue.options, { event_buffer_size: 3000, partition: 50 }, pipe.name);
  }
  const als = config.pipes.find((pipe) => pipe.name === 'envoy-als-v3');
  assert.ok(als !== undefined);
  assert.deepEqual(als.gatherer.receiver.options, { flush_time: 3000, limit_count: 500 });
  assert.equal(als.sender.options.flush_time, 3000);
});

test('a token keeps its text whatever it looks like', () => {
  for (const token of ['0123', 'true', '1e3', '1.50', 'null', 'a}b', '${X}', '"', 'p#w: x']) {
    const config = decodeShipped({ SATELLITE_GRPC_AUTHENTICATION: token });
    assert.equal((config.sharing.clients[0]?.options as { authentication: string }).authentication, token);
  }
});

test('a backend that is our own server is warned of, any other is not', () => {
  const loops = (server: string, backends: string): number => {
    const environment = { SATELLITE_GRPC_ADDRESS: server, SATELLITE_GRPC_CLIENT: backends };
    const { problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, environment, sampleCatalogue);
    return problems.filter((problem) => problem.kind.code === 'SAT_CFG_LOOP').length;
  };
  for (const [server, backends] of [
    [':11800', 'localhost'],
    ['0.0.0.0:11800', 'oap:11800,127.0.0.1:11800'],
    ['localhost:11800', '[::1]:11800'],
    ['10.0.0.1:11800', '10.0.0.1:11800'],
  ] as const) {
    assert.equal(loops(server, backends), 1, `${server} ${backends}`);
  }
  for (const [server, backends] of [
    [':11801', 'localhost:11800'],
    [':11800', 'oap:11800,unix:/oap.sock'],
    ['10.0.0.1:11800', '127.0.0.1:11800'],
  ] as const) {
    assert.equal(loops(server, backends), 0, `${server} ${backends}`);
  }
});
