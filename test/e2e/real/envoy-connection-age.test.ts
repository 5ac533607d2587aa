/**
 * Short connection ages under load, with a real Envoy at a distance. It does not move its streams at a GOAWAY, so Satellite
 * ends them behind a message. What Envoy has on its way at that moment it counts as written, and sends nothing twice.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFaultyNetwork } from '../../../src/lab/index.js';
import { skipWithout } from '../../support/components.js';
import { Envoy } from '../../support/envoy.js';
import { eventually, settled } from '../../support/eventually.js';
import { sumOf } from '../../support/exposition.js';
import { IndependentOap } from '../../support/independent-oap.js';
import { pathsFor, sendRequests } from '../../support/load.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const REQUESTS = 20_000;
const NODE = 'sidecar~10.0.0.1~aging.shop~shop.svc.cluster.local';
/** Each way: several messages are on the wire at any moment. */
const LATENCY_MS = 20;

test(
  'every access log arrives while Envoy’s connections are renewed each second, those on their way just then too',
  { skip: skipWithout('envoy') },
  async (t) => {
    const oap = await new IndependentOap().start();
    t.after(() => oap.kill());
    const satellite = await Satellite.start({
      config: writeAlsConfig({ oaps: [oap.address], serverOptions: { max_connection_age: '1s' } }),
    });
    t.after(() => satellite.stop());
    const network = await startFaultyNetwork({ port: satellite.grpcPort });
    network.setLatency(LATENCY_MS);
    t.after(() => network.close());
    const envoy = await Envoy.start({ alsPort: network.port, nodeId: NODE, concurrency: 2, upstreamPort: 1 });
    t.after(() => envoy.stop());

    await sendRequests(envoy.httpPort, pathsFor('aging', REQUESTS), 32);
    const envoyEntries = await eventually({ until: 'Envoy has flushed', withinMs: 15_000 }, async () => {
      const entries = await envoy.readHttpEntries();
      return entries.written + entries.dropped >= REQUESTS ? entries : undefined;
    });
    assert.deepEqual(envoyEntries, { written: REQUESTS, dropped: 0 });
    const received = await settled({ until: 'all is received', withinMs: 20_000, quietMs: 3_000 }, async () => {
      const books = await satellite.readBooks('envoy-als-v3');
      return books.held === 0 ? books.received : Number.NaN;
    });

    const renewals = sumOf(await envoy.readStats(), 'envoy_cluster_upstream_cx_destroy', { envoy_cluster_name: 'als' });
    assert.ok(renewals >= 5, `${renewals} renewals`);
    t.diagnostic(`${REQUESTS - received} of ${REQUESTS} entries lost in ${renewals} renewals`);
    assert.equal(received, REQUESTS);
    const books = await satellite.readBooks('envoy-als-v3');
    assert.deepEqual(books, { received, delivered: received, dropped: 0, held: 0 });
    const times = [...(oap.http.get(NODE) ?? new Map<string, number>()).values()];
    assert.equal(times.length, received);
    assert.ok(times.every((count) => count === 1));
  },
);
