import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom, SimulatedClock } from '../../../../../src/base/index.js';
import type { ResolvedEndpoint } from '../../../../../src/core/balance/index.js';
import { MemoryBudget } from '../../../../../src/core/budget.js';
import { StaticResolver } from '../../../../../src/plugins/finder/static/static-resolver.js';
import { CapturingLog } from '../../../../support/log.js';
import { RecordingMetrics } from '../../../../support/metrics.js';

const PERIOD_MS = 5_000;

/** Names and what they resolve to; counts the questions. */
class FakeNames {
  readonly known = new Map<string, readonly string[]>();
  readonly asked = new Map<string, number>();
  isSilent = false;

  readonly lookup = (host: string): Promise<readonly string[]> => {
    this.asked.set(host, (this.asked.get(host) ?? 0) + 1);
    const found = this.known.get(host);
    if (this.isSilent) return new Promise(() => undefined);
    return found === undefined ? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`)) : Promise.resolve(found);
  };
}

class Bench {
  readonly clock = new SimulatedClock();
  readonly names = new FakeNames();
  readonly log = new CapturingLog();
  readonly reports: (readonly ResolvedEndpoint[])[] = [];
  readonly resolver: StaticResolver;

  constructor(serverAddr: string, known: Record<string, readonly string[]> = {}) {
    for (const [host, addresses] of Object.entries(known)) this.names.known.set(host, addresses);
    const settings = {
      clock: this.clock,
      random: createSeededRandom(1),
      log: this.log,
      metrics: new RecordingMetrics(),
      budget: new MemoryBudget(1e6),
    };
    const config = { server_addr: serverAddr, check_period: PERIOD_MS };
    this.resolver = new StaticResolver(config, settings, this.names.lookup);
    this.resolver.start((endpoints) => this.reports.push(endpoints));
  }

  get labels(): readonly string[] | undefined {
    return this.reports.at(-1)?.map((endpoint) => endpoint.label);
  }

  /** Time passes in small steps, so that answers arrive in between. */
  async advance(durationMs: number): Promise<void> {
    await settled();
    for (let passed = 0; passed < durationMs; passed += 100) {
      this.clock.advance(100);
      await settled();
    }
  }
}

/** Lets pending promises run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

describe('static finder', () => {
  it('knows literal addresses at once and never asks for them', async () => {
    const bench = new Bench('10.0.0.1:1, [::1]:2, unix:/s');
    assert.deepEqual(bench.labels, ['10.0.0.1:1', '[::1]:2', 'unix:/s']);
    await bench.advance(60_000);
    assert.equal(bench.names.asked.size, 0);
    assert.equal(bench.reports.length, 1);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it('resolves a name to all its addresses, each once, under the name as authority', async () => {
    const bench = new Bench('oap:1234', { oap: ['10.0.0.2', '10.0.0.1', '10.0.0.2', 'fd00::1'] });
    await settled();
    assert.deepEqual(bench.labels, ['10.0.0.1:1234', '10.0.0.2:1234', '[fd00::1]:1234']);
    const [endpoint] = bench.reports[0]!;
    assert.equal(endpoint!.authority, 'oap:1234');
    assert.equal(endpoint!.serverName, 'oap');
    assert.deepEqual(endpoint!.address, { kind: 'tcp', host: '10.0.0.1', port: 1234 });
  });

  it('asks again every period, give or take a fifth more, and follows the answers', async () => {
    const bench = new Bench('oap', { oap: ['10.0.0.1'] });
    await bench.advance(60_000);
    const asked = bench.names.asked.get('oap')!;
    assert.ok(asked >= 10 && asked <= 12, `${asked}`);
    assert.equal(bench.reports.length, 1);
    bench.names.known.set('oap', ['10.0.0.1', '10.0.0.2']);
    await bench.advance(PERIOD_MS * 1.2);
    assert.deepEqual(bench.labels, ['10.0.0.1:11800', '10.0.0.2:11800']);
  });

  it('keeps the last known set while the name cannot be resolved, with one warning', async () => {
    const bench = new Bench('oap', { oap: ['10.0.0.1'] });
    await bench.advance(1_000);
    bench.names.known.delete('oap');
    await bench.advance(60_000);
    assert.deepEqual(bench.labels, ['10.0.0.1:11800']);
    bench.names.known.set('oap', []);
    await bench.advance(60_000);
    assert.deepEqual(bench.labels, ['10.0.0.1:11800']);
    assert.deepEqual(bench.log.messages('warn'), ['cannot resolve oap: getaddrinfo ENOTFOUND oap; keeping 10.0.0.1']);
    assert.ok(bench.names.asked.get('oap')! <= 121_000 / PERIOD_MS + 1);
  });

  it('starts with a name that cannot be resolved, says so once, and takes it when it appears', async () => {
    const bench = new Bench('oap');
    await bench.advance(30_000);
    assert.equal(bench.reports.length, 0);
    assert.deepEqual(bench.log.messages('warn'), ['cannot resolve oap: getaddrinfo ENOTFOUND oap; trying on']);
    bench.names.known.set('oap', ['10.0.0.1']);
    await bench.advance(PERIOD_MS * 1.2);
    assert.deepEqual(bench.labels, ['10.0.0.1:11800']);
    assert.equal(bench.log.messages('info').at(-1), 'oap is 10.0.0.1');
  });

  it('starts with an empty list and says so', () => {
    const bench = new Bench(' , ');
    assert.equal(bench.reports.length, 0);
    assert.match(bench.log.messages('warn')[0]!, /^server_addr names no backend/);
  });

  it('gives literals at once while a name is still looked for', async () => {
    const bench = new Bench('10.0.0.9, oap', { oap: ['10.0.0.1'] });
    assert.deepEqual(bench.labels, ['10.0.0.9:11800']);
    await settled();
    assert.deepEqual(bench.labels, ['10.0.0.9:11800', '10.0.0.1:11800']);
  });

  it('asks once for a name that is listed with two ports', async () => {
    const bench = new Bench('oap:1,oap:2', { oap: ['10.0.0.1'] });
    await settled();
    assert.deepEqual(bench.labels, ['10.0.0.1:1', '10.0.0.1:2']);
    assert.equal(bench.names.asked.get('oap'), 1);
  });

  it('has one question open at a time, however long the name server is silent', async () => {
    const bench = new Bench('oap');
    bench.names.isSilent = true;
    await bench.advance(PERIOD_MS * 1.2);
    const asked = bench.names.asked.get('oap');
    await bench.advance(60_000);
    assert.equal(bench.names.asked.get('oap'), asked);
  });

  it('takes localhost for one machine', async () => {
    const bench = new Bench('localhost', { localhost: ['::1', '127.0.0.1'] });
    await settled();
    assert.deepEqual(bench.labels, ['127.0.0.1:11800']);
  });

  it('is silent after close, also when an answer comes late', async () => {
    const bench = new Bench('oap', { oap: ['10.0.0.1'] });
    bench.resolver.close();
    await bench.advance(30_000);
    assert.equal(bench.reports.length, 0);
    assert.equal(bench.names.asked.get('oap'), 1);
    assert.equal(bench.clock.pendingTimers, 0);
  });
});
