import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createCatalogue } from '../../../../src/app/commands.js';
import { optionRows } from '../../../../src/app/config/docs/option-table.js';
import { ShippedFile } from '../../../../src/app/config/docs/shipped-file.js';
import { decodeConfig } from '../../../../src/app/config/index.js';
import type { SatelliteConfig } from '../../../../src/app/config/index.js';
import { nodeAt } from '../../../../src/app/config/node.js';
import { formatProblem } from '../../../../src/app/config/problem.js';
import { loggerSchema, resourcesSchema, telemetrySchema } from '../../../../src/app/config/sections.js';
import type { OptionsSchema } from '../../../../src/core/options.js';
import { senderSchema } from '../../../../src/core/pipe/config.js';
import type { PluginKind } from '../../../../src/core/plugin.js';
import { ALL_PLUGINS } from '../../../../src/plugins/all.js';

const SHIPPED = 'configs/satellite_config.yaml';
const catalogue = createCatalogue(ALL_PLUGINS);

function decodeShipped(environment: Readonly<Record<string, string>> = {}): SatelliteConfig {
  const { config, problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, environment, catalogue);
  const faults = problems.filter((problem) => problem.severity !== 'warning');
  assert.deepEqual(
    faults.map((problem) => formatProblem(SHIPPED, problem)),
    [],
  );
  assert.ok(config !== null);
  return config;
}

/** That `options` has these values, whatever else it has. */
function assertHas(options: unknown, expected: Readonly<Record<string, unknown>>): void {
  const all = options as Readonly<Record<string, unknown>>;
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, all[key]])), expected);
}

test('the shipped file decodes without a fault, and tells that pprof comes later and that the backends are to be named', () => {
  const { problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, {}, catalogue);
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
  assertHas(config.sharing.clients[0]?.options, {
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
  assertHas(config.sharing.servers[0]?.options, {
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

test('every option of what the shipped file uses can be set by the environment, and ours have their defaults there', () => {
  const shipped = new ShippedFile(readFileSync(SHIPPED, 'utf8'));
  const places: {
    readonly name: string;
    readonly schema: OptionsSchema;
    readonly maps: ReturnType<ShippedFile['section']>;
  }[] = [
    { name: 'logger', schema: loggerSchema, maps: shipped.section('logger') },
    { name: 'telemetry', schema: telemetrySchema, maps: shipped.section('telemetry') },
    { name: 'resources', schema: resourcesSchema, maps: shipped.section('resources') },
    { name: 'sender', schema: senderSchema, maps: shipped.pipeSections('sender') },
  ];
  for (const kind of Object.keys(ALL_PLUGINS) as PluginKind[]) {
    for (const { name, schema } of catalogue.definitions(kind)) {
      places.push({ name, schema, maps: shipped.pluginMaps(kind, name) });
    }
  }
  const optionNames = new Map<string, number>();
  for (const { name, schema, maps } of places) {
    for (const { steps, meta } of optionRows(schema)) {
      // Nothing to choose.
      if (meta.values?.length === 1 && meta.isOurs) continue;
      for (const map of maps) {
        const option = `${name} ${steps.join('.')}, line ${map.position.line}`;
        const node = nodeAt(map, steps);
        assert.ok(node?.kind === 'scalar' && node.envNames.length === 1, option);
        assert.match(node.envNames[0]!, /^SATELLITE_(grpc_)?[A-Z0-9_]+$/, option);
        if (meta.isOurs) assert.equal(node.text, String(JSON.parse(meta.defaultText ?? '""')), option);
        optionNames.set(name, (optionNames.get(name) ?? 0) + 1);
      }
    }
  }
  for (const name of ['grpc-server', 'grpc-client', 'memory-queue', 'sender']) assert.ok(optionNames.has(name), name);
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
    assertHas(pipe.gatherer.queue.options, { event_buffer_size: 3000, partition: 50 });
  }
  const als = config.pipes.find((pipe) => pipe.name === 'envoy-als-v3');
  assert.ok(als !== undefined);
  assertHas(als.gatherer.receiver.options, { flush_time: 3000, limit_count: 500 });
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
    const { problems } = decodeConfig(readFileSync(SHIPPED, 'utf8'), SHIPPED, environment, catalogue);
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
