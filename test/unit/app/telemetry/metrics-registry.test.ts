import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Exposition, MAX_SERIES_PER_FAMILY, MetricsRegistry } from '../../../../src/app/telemetry/index.js';
import type { MetricDefinition } from '../../../../src/core/telemetry.js';

const RECEIVED: MetricDefinition = {
  name: 'gatherer_receive_count',
  type: 'counter',
  help: 'Events received.',
  labels: ['status', 'pipe'],
  stability: 'original',
};
const CONNECTIONS: MetricDefinition = { ...RECEIVED, name: 'grpc_server_connection_count', type: 'gauge', labels: [] };
const LATENCY: MetricDefinition = {
  ...RECEIVED,
  name: 'latency',
  type: 'histogram',
  labels: ['pipe'],
  buckets: [1, 10],
};
const ENDPOINT: MetricDefinition = { ...RECEIVED, name: 'endpoint_calls', labels: ['endpoint', 'status'] };

const CONSTANTS = { cluster: 'satellite-cluster', service: 'satellite-service', instance: 'satellite-instance' };

async function linesOf(registry: MetricsRegistry): Promise<string[]> {
  const text = await new Exposition(registry, { withProcessMetrics: false }).text();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('prints lines as the original does: constant labels, all sorted, no prefix and no suffix', async () => {
  const registry = new MetricsRegistry(CONSTANTS);
  registry.counter(RECEIVED, { pipe: 'logpipe', status: 'all' }).value += 3;
  registry.gauge(CONNECTIONS, {}, () => 2);
  assert.deepEqual(await linesOf(registry), [
    'gatherer_receive_count{cluster="satellite-cluster",instance="satellite-instance",pipe="logpipe",service="satellite-service",status="all"} 3',
    'grpc_server_connection_count{cluster="satellite-cluster",instance="satellite-instance",service="satellite-service"} 2',
  ]);
});

test('constant labels that are empty are left out', async () => {
  const registry = new MetricsRegistry({ cluster: '', service: 's', instance: '' });
  registry.gauge(CONNECTIONS, {}, () => 0);
  assert.deepEqual(await linesOf(registry), ['grpc_server_connection_count{service="s"} 0']);
});

test('a family is introduced by its help and type', async () => {
  const registry = new MetricsRegistry();
  registry.counter(RECEIVED, { pipe: 'p', status: 'all' });
  const text = await new Exposition(registry, { withProcessMetrics: false }).text();
  assert.equal(
    text,
    '# HELP gatherer_receive_count Events received.\n# TYPE gatherer_receive_count counter\ngatherer_receive_count{pipe="p",status="all"} 0\n',
  );
});

test('label values are escaped', async () => {
  const registry = new MetricsRegistry();
  registry.counter(RECEIVED, { pipe: 'a"b\\c\nd', status: 'all' });
  assert.deepEqual(await linesOf(registry), ['gatherer_receive_count{pipe="a\\"b\\\\c\\nd",status="all"} 0']);
});

test('the same labels give the same handle, in any order of writing', () => {
  const registry = new MetricsRegistry();
  const first = registry.counter(RECEIVED, { pipe: 'p', status: 'all' });
  assert.equal(registry.counter({ ...RECEIVED }, { status: 'all', pipe: 'p' }), first);
  assert.notEqual(registry.counter(RECEIVED, { pipe: 'p', status: 'abandoned' }), first);
  assert.equal(registry.histogram(LATENCY, { pipe: 'p' }), registry.histogram(LATENCY, { pipe: 'p' }));
});

test('misuse is a bug, said at once', () => {
  const registry = new MetricsRegistry(CONSTANTS);
  registry.counter(RECEIVED, { pipe: 'p', status: 'all' });
  const bug = { code: 'SAT_BUG' };
  assert.throws(() => registry.counter({ ...RECEIVED, labels: ['pipe'] }, { pipe: 'p' }), bug);
  assert.throws(() => registry.gauge(RECEIVED, { pipe: 'p', status: 'all' }, () => 0), bug);
  assert.throws(() => registry.counter(RECEIVED, { pipe: 'p' }), bug);
  assert.throws(() => registry.counter(RECEIVED, { pipe: 'p', status: 'all', more: 'x' }), bug);
  assert.throws(() => registry.counter({ ...ENDPOINT, labels: ['service'] }, { service: 'x' }), bug);
});

test('a gauge is read at the scrape, and readers of one series add up', async () => {
  const registry = new MetricsRegistry();
  let open = 1;
  const removeFirst = registry.gauge(CONNECTIONS, {}, () => open);
  const removeSecond = registry.gauge(CONNECTIONS, {}, () => 10);
  open = 5;
  assert.deepEqual(await linesOf(registry), ['grpc_server_connection_count 15']);
  removeFirst();
  removeFirst();
  assert.deepEqual(await linesOf(registry), ['grpc_server_connection_count 10']);
  removeSecond();
  assert.deepEqual(await linesOf(registry), []);
});

test('a gauge that throws is missing, the rest of the scrape is not', async () => {
  const registry = new MetricsRegistry();
  registry.gauge(CONNECTIONS, {}, () => {
    throw new Error('broken');
  });
  registry.counter(RECEIVED, { pipe: 'p', status: 'all' });
  assert.equal((await linesOf(registry)).length, 1);
});

test('all values of a scrape are of one instant', async () => {
  const registry = new MetricsRegistry();
  const all = registry.counter(RECEIVED, { pipe: 'p', status: 'all' });
  const abandoned = registry.counter(RECEIVED, { pipe: 'p', status: 'abandoned' });
  const rendering = linesOf(registry);
  all.value++;
  abandoned.value++;
  assert.deepEqual(await rendering, [
    'gatherer_receive_count{pipe="p",status="all"} 0',
    'gatherer_receive_count{pipe="p",status="abandoned"} 0',
  ]);
});

test('a histogram counts cumulatively, bounds included', async () => {
  const registry = new MetricsRegistry();
  const histogram = registry.histogram(LATENCY, { pipe: 'p' });
  for (const value of [0.5, 1, 2, 10, 11]) histogram.observe(value);
  assert.equal(registry.value('latency', { pipe: 'p' }), 5);
  assert.deepEqual(await linesOf(registry), [
    'latency_bucket{pipe="p",le="1"} 2',
    'latency_bucket{pipe="p",le="10"} 4',
    'latency_bucket{pipe="p",le="+Inf"} 5',
    'latency_sum{pipe="p"} 24.5',
    'latency_count{pipe="p"} 5',
  ]);
});

test('forget takes every series with these label values along, of any family', async () => {
  const registry = new MetricsRegistry();
  registry.counter(ENDPOINT, { endpoint: 'a', status: 'ok' });
  registry.counter(ENDPOINT, { endpoint: 'a', status: 'failed' });
  registry.counter(ENDPOINT, { endpoint: 'b', status: 'ok' });
  registry.gauge(
    { ...ENDPOINT, name: 'endpoint_state', type: 'gauge', labels: ['endpoint'] },
    { endpoint: 'a' },
    () => 1,
  );
  registry.counter(RECEIVED, { pipe: 'a', status: 'all' });
  registry.forget({ endpoint: 'a' });
  assert.deepEqual(await linesOf(registry), [
    'endpoint_calls{endpoint="b",status="ok"} 0',
    'gatherer_receive_count{pipe="a",status="all"} 0',
  ]);
  registry.forget({ endpoint: 'b', status: 'ok' });
  assert.equal((await linesOf(registry)).length, 1);
  registry.forget({});
  assert.equal((await linesOf(registry)).length, 1);
});

test('a series that comes back starts at zero, and the old handle no longer shows', () => {
  const registry = new MetricsRegistry();
  const old = registry.counter(ENDPOINT, { endpoint: 'a', status: 'ok' });
  registry.forget({ endpoint: 'a' });
  const current = registry.counter(ENDPOINT, { endpoint: 'a', status: 'ok' });
  old.value++;
  current.value += 5;
  assert.equal(registry.value('endpoint_calls', { endpoint: 'a', status: 'ok' }), 5);
});

test('the remover of a forgotten gauge leaves its successor alone', () => {
  const registry = new MetricsRegistry();
  const definition: MetricDefinition = { ...CONNECTIONS, labels: ['endpoint'] };
  const remove = registry.gauge(definition, { endpoint: 'a' }, () => 1);
  registry.forget({ endpoint: 'a' });
  registry.gauge(definition, { endpoint: 'a' }, () => 2);
  remove();
  assert.equal(registry.value(definition.name, { endpoint: 'a' }), 2);
});

test('a family is bounded: newcomers share one series', () => {
  const registry = new MetricsRegistry();
  const handles = new Set<object>();
  for (let peer = 0; peer < MAX_SERIES_PER_FAMILY + 50; peer++) {
    handles.add(registry.counter(ENDPOINT, { endpoint: `peer ${String(peer)}`, status: 'ok' }));
  }
  assert.equal(handles.size, MAX_SERIES_PER_FAMILY + 1);
  assert.equal(registry.refusedSeries, 50);
  assert.equal(registry.value('endpoint_calls', { endpoint: 'other', status: 'other' }), 0);
});

test('a handle counts exactly, whatever is asked for meanwhile', async () => {
  const step = fc.record({ pipe: fc.constantFrom('a', 'b', 'c'), status: fc.constantFrom('x', 'y'), add: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const registry = new MetricsRegistry();
      const model = new Map<string, number>();
      for (const { pipe, status, add } of steps) {
        registry.counter(RECEIVED, { pipe, status }).value += add;
        const key = `gatherer_receive_count{pipe="${pipe}",status="${status}"}`;
        model.set(key, (model.get(key) ?? 0) + add);
      }
      const expected = [...model].map(([key, value]) => `${key} ${String(value)}`);
      assert.deepEqual(await linesOf(registry), expected);
    }),
    { numRuns: 30 },
  );
});

test('the process’s own metrics carry the constant labels too, sorted', async () => {
  const exposition = new Exposition(new MetricsRegistry(CONSTANTS), { withProcessMetrics: true });
  const text = await exposition.text();
  const labels = 'cluster="satellite-cluster",instance="satellite-instance",service="satellite-service"';
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_start_time_seconds']) {
    assert.ok(text.includes(`\n${name}{${labels}} `), name);
  }
  assert.doesNotMatch(text, /^go_/m);
  assert.doesNotMatch(text, /nodejs_active_|lag_p99/);
});
