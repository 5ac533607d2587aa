import { test } from 'node:test';
import assert from 'node:assert/strict';
import { HttpEndpoint, MetricsRegistry, startExporters } from '../../../../src/app/telemetry/index.js';
import type { Exporters } from '../../../../src/app/telemetry/index.js';
import { registerSelfMetrics } from '../../../../src/app/telemetry/self-metrics.js';
import { MemoryBudget } from '../../../../src/core/budget.js';

async function withExporters(
  exporters: readonly string[],
  use: (running: Exporters, url: string, registry: MetricsRegistry) => Promise<void>,
  path = '/metrics',
): Promise<void> {
  const registry = new MetricsRegistry({ service: 'satellite' });
  const running = await startExporters(registry, {
    export_type: exporters,
    prometheus: { address: '127.0.0.1:0', endpoint: path },
  });
  try {
    await use(running, `http://127.0.0.1:${String(running.endpoint?.port)}`, registry);
  } finally {
    await running.close();
  }
}

test('prometheus answers on its path in text format 0.0.4', async () => {
  await withExporters(['prometheus'], async (_running, url, registry) => {
    const budget = new MemoryBudget(1_000);
    registerSelfMetrics(registry, budget, '1.2.3');
    budget.reserve(400);
    budget.release(100);
    const response = await fetch(`${url}/metrics?x=1`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    assert.match(text, /^satellite_build_info\{node_version="v[\d.]+",service="satellite",version="1.2.3"\} 1$/m);
    assert.match(text, /^satellite_memory_budget_used_bytes\{service="satellite"\} 300$/m);
    assert.match(text, /^satellite_memory_budget_peak_bytes\{service="satellite"\} 400$/m);
    assert.match(text, /^satellite_memory_budget_limit_bytes\{service="satellite"\} 1000$/m);
    assert.match(text, /^satellite_event_loop_utilization_ratio\{service="satellite"\} [\d.e-]+$/m);
    assert.match(text, /^process_resident_memory_bytes\{service="satellite"\} \d+$/m);
  });
});

test('other paths are not found, other methods not allowed', async () => {
  await withExporters(['prometheus'], async (_running, url) => {
    assert.equal((await fetch(`${url}/`)).status, 404);
    assert.equal((await fetch(`${url}/metrics/`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })).status, 405);
    const head = await fetch(`${url}/metrics`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
  });
});

test('further routes stand beside the metrics; one that throws answers 500', async () => {
  await withExporters(['prometheus'], async ({ endpoint }, url) => {
    endpoint?.route('/ready', () => ({ status: 503, contentType: 'text/plain', body: 'draining' }));
    endpoint?.route('/broken', () => Promise.reject(new Error('no')));
    const ready = await fetch(`${url}/ready`);
    assert.equal(ready.status, 503);
    assert.equal(await ready.text(), 'draining');
    assert.equal((await fetch(`${url}/broken`)).status, 500);
    assert.equal((await fetch(`${url}/metrics`)).status, 200);
  });
});

test('a path written without its slash is meant with it', async () => {
  await withExporters(
    ['prometheus'],
    async (_running, url) => {
      assert.equal((await fetch(`${url}/custom`)).status, 200);
      assert.equal((await fetch(`${url}/metrics`)).status, 404);
    },
    'custom',
  );
});

test('none listens nowhere', async () => {
  await withExporters(['none'], (running) => {
    assert.equal(running.endpoint, null);
    return Promise.resolve();
  });
});

test('a port in use fails the start and says which', async () => {
  const first = new HttpEndpoint('127.0.0.1:0');
  await first.start();
  const second = new HttpEndpoint(`127.0.0.1:${String(first.port)}`);
  await assert.rejects(second.start(), (error: Error & { code: string }) => {
    assert.equal(error.code, 'SAT_TEL_LISTEN');
    const text = `cannot listen on 127.0.0.1:${String(first.port)} for metrics: the address is already in use (EADDRINUSE); set telemetry.prometheus.address`;
    assert.ok(error.message.startsWith(text), error.message);
    return true;
  });
  await second.close();
  await first.close();
  await first.close();
});

test('addresses are read as the original writes them', async () => {
  for (const address of [':0', 'localhost:0', '127.0.0.1:0']) {
    const endpoint = new HttpEndpoint(address);
    await endpoint.start();
    assert.notEqual(endpoint.port, 0, address);
    await endpoint.close();
  }
  for (const wrong of ['', '1234', 'host', ':', ':99999', ':http']) {
    await assert.rejects(new HttpEndpoint(wrong).start(), { code: 'SAT_TEL_ADDRESS' }, wrong);
  }
});
