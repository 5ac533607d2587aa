import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { skipWithout } from '../../support/components.js';
import { Envoy } from '../../support/envoy.js';
import { eventually, settled } from '../../support/eventually.js';
import { openConnections, pathsFor, sendRequests, startUpstream } from '../../support/load.js';
import { Oap } from '../../support/oap.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const REQUESTS = 20_000;
const CONNECTIONS = 200;
/** OAP refreshes its metrics page every 10 s or so: a count that stands for longer is final. */
const OAP_QUIET_MS = 12_000;
const PIPE = 'envoy-als-v3';

describe('a real Envoy, Satellite, a real OAP', { skip: skipWithout('envoy', 'oap') }, () => {
  let oap: Oap;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  before(async () => {
    upstream = await startUpstream();
    oap = await Oap.start();
  });
  after(async () => {
    upstream.server.close();
    await oap.stop();
  });

  for (const identifier of ['compact', 'full']) {
    test(`OAP counts every entry Envoy wrote, with ${identifier} identifiers`, async (t) => {
      const oaps = [`127.0.0.1:${oap.grpcPort}`];
      const satellite = await Satellite.start({ config: writeAlsConfig({ oaps, receiverOptions: { identifier } }) });
      t.after(() => satellite.stop());
      const envoy = await Envoy.start({
        alsPort: satellite.grpcPort,
        nodeId: `sidecar~10.0.0.1~${identifier}.shop~shop.svc.cluster.local`,
        concurrency: 4,
        upstreamPort: upstream.port,
      });
      t.after(() => envoy.stop());
      const before = await oap.readEntries();

      await Promise.all([
        sendRequests(envoy.httpPort, pathsFor(identifier, REQUESTS), 64),
        openConnections(envoy.tcpPort, CONNECTIONS, 16),
      ]);

      const http = await eventually({ until: 'Envoy has flushed its access logs', withinMs: 15_000 }, async () => {
        const entries = await envoy.readHttpEntries();
        return entries.written + entries.dropped >= REQUESTS ? entries : undefined;
      });
      assert.deepEqual(http, { written: REQUESTS, dropped: 0 });
      const written = http.written + CONNECTIONS;

      const books = await eventually({ until: 'Satellite holds nothing', withinMs: 15_000 }, async () => {
        const now = await satellite.readBooks(PIPE);
        return now.received >= written && now.held === 0 ? now : undefined;
      });
      assert.deepEqual(books, { received: written, delivered: written, dropped: 0, held: 0 });

      const patience = { until: 'OAP counts nothing more', withinMs: 60_000, quietMs: OAP_QUIET_MS, everyMs: 500 };
      const counted = await settled(patience, async () => {
        const now = (await oap.readEntries()) - before;
        return now > 0 ? now : Number.NaN;
      });
      assert.equal(counted, written);
    });
  }
});
