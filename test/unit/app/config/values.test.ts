import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, decodeWell, sampleFile, samplePipe } from './sample-catalogue.js';
import type { SatelliteConfig } from '../../../../src/app/config/index.js';

function tokenOf(config: SatelliteConfig): unknown {
  return (config.sharing.clients[0]?.options as { authentication: unknown }).authentication;
}

function partitionOf(config: SatelliteConfig): unknown {
  return (config.pipes[0]?.gatherer.queue.options as { partition: unknown }).partition;
}

test('a text option gets what was written, quoted or not, from file or environment', () => {
  for (const written of ['0123', 'true', '1e3', '1.50', '0x10', 'no', '"0123"', "'true'", '0123 # comment']) {
    const expected = written.replace(/ #.*/, '').replaceAll(/["']/g, '');
    const config = decodeWell(sampleFile({ client: `authentication: ${written}` }));
    assert.equal(tokenOf(config), expected, written);
    const value = { TOKEN: expected };
    for (const placeholder of ['${TOKEN:x}', '"${TOKEN:x}"']) {
      assert.equal(tokenOf(decodeWell(sampleFile({ client: `authentication: ${placeholder}` }), value)), expected);
    }
  }
});

test('a whole number may come quoted, with a base prefix or from a placeholder', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ['partition: 8', {}, 8],
    ['partition: "8"', {}, 8],
    ['partition: 0x10', {}, 16],
    ['partition: 010', {}, 8],
    ['partition: "010"', {}, 8],
    ['partition: ${P:4}', {}, 4],
    ['partition: ${P:4}', { P: '010' }, 10],
    ['partition: ${P:"010"}', {}, 8],
    ['partition: ${P:4}', { P: '1e1' }, 10],
    ['partition: ${P:4}', { P: '' }, 4],
    ['partition: ${P:1}${Q:2}', {}, 12],
    ['PARTITION: 3', {}, 3],
    ['partition:', {}, 1],
    ['partition: ~', {}, 1],
  ];
  for (const [queue, environment, expected] of cases) {
    const config = decodeWell(sampleFile({ pipes: samplePipe({ queue }) }), environment);
    assert.equal(partitionOf(config), expected, `${queue} ${JSON.stringify(environment)}`);
  }
});

test('durations and sizes take units, bare numbers count in the unit of the key', () => {
  const config = decodeWell(
    sampleFile({
      client: 'check_period: 7\ntimeout: {unary: 1m30s, stream: 250ms}',
      server: 'max_recv_msg_size: 64MiB',
      pipes: samplePipe({ receiver: 'flush_time: 2s', sender: 'flush_time: 300' }),
    }),
  );
  const client = config.sharing.clients[0]?.options as {
    check_period: number;
    timeout: { unary: number; stream: number };
  };
  assert.deepEqual([client.check_period, client.timeout], [7000, { unary: 90_000, stream: 250 }]);
  assert.equal((config.sharing.servers[0]?.options as { max_recv_msg_size: number }).max_recv_msg_size, 64 * 1024 ** 2);
  assert.equal((config.pipes[0]?.gatherer.receiver.options as { flush_time: number }).flush_time, 2000);
  assert.equal(config.pipes[0]?.sender.options.flush_time, 300);
});

test('a list keeps all its scalars and may be written as one text', () => {
  for (const [written, expected] of [
    ['prometheus , none', ['prometheus', 'none']],
    ['[prometheus, none]', ['prometheus', 'none']],
    ['${E:none}', ['none']],
    ['""', []],
  ] as const) {
    const config = decodeWell(sampleFile({ rest: `telemetry:\n  export_type: ${written}` }));
    assert.deepEqual(config.telemetry.export_type, expected, written);
  }
  const { problems } = decode(sampleFile({ rest: 'telemetry: {export_type: [1, true, prometheus]}' }));
  assert.deepEqual(
    problems.map((problem) => problem.message),
    ['there is no exporter "1"', 'there is no exporter "true"'],
  );
});

test('keys are the same in any case, at every level', () => {
  const source = sampleFile({ client: 'Server_Addr: a:1\nTIMEOUT: {Unary: 1s}' }).replace('sharing:', 'Sharing:');
  const client = decodeWell(source).sharing.clients[0]?.options as { server_addr: string; timeout: { unary: number } };
  assert.deepEqual([client.server_addr, client.timeout.unary], ['a:1', 1000]);
});

test('anchors, aliases and merge keys work', () => {
  const source = `
shared: &pipe {flush_time: 10, limit_count: 7}
${sampleFile({ pipes: samplePipe({ receiver: '<<: *pipe\nlimit_count: 9' }) })}`;
  const { config, problems } = decode(source);
  assert.deepEqual(config?.pipes[0]?.gatherer.receiver.options, { flush_time: 10, limit_count: 9 });
  assert.deepEqual(
    problems.map((problem) => [problem.severity, problem.path]),
    [['strict', 'shared']],
  );
});

test('absent sections take their defaults', () => {
  const { logger, telemetry, resources, pipes } = decodeWell(sampleFile());
  assert.equal(logger.level, 'info');
  assert.equal(logger.format, 'pattern');
  assert.deepEqual(telemetry.export_type, ['prometheus']);
  assert.deepEqual(telemetry.prometheus, { address: ':1234', endpoint: '/metrics' });
  assert.equal(resources.memory_limit, Math.floor(0.4 * 1024 ** 3));
  assert.deepEqual(pipes[0]?.processor.filters, []);
  assert.equal(pipes[0].sender.options.max_buffer_size, 200);
});

test('the memory limit is a size or a share of what is available', () => {
  for (const [written, bytes] of [
    ['512MiB', 512 * 1024 ** 2],
    ['50%', 512 * 1024 ** 2],
    ['100000000', 100_000_000],
  ] as const) {
    assert.equal(
      decodeWell(sampleFile({ rest: `resources: {memory_limit: ${written}}` })).resources.memory_limit,
      bytes,
    );
  }
  for (const written of ['lots', '0%', '101%', '1MiB', '""']) {
    const { problems } = decode(sampleFile({ rest: `resources: {memory_limit: ${written}}` }));
    assert.deepEqual(
      problems.map((problem) => problem.path),
      ['resources.memory_limit'],
      written,
    );
  }
});

test('the result is frozen all the way down', () => {
  const config = decodeWell(sampleFile());
  assert.ok(Object.isFrozen(config.pipes) && Object.isFrozen(config.pipes[0]?.sender.options.retry));
  assert.throws(() => {
    (config.logger as { level: string }).level = 'debug';
  }, TypeError);
});
