import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { skipWithout } from '../../support/components.js';
import { Envoy } from '../../support/envoy.js';
import { eventually } from '../../support/eventually.js';
import { collect, findFaults, IndependentOap } from '../../support/independent-oap.js';
import { openConnections, pathsFor, sendRequests, startUpstream } from '../../support/load.js';
import { Proxy, PROXY_NAMES } from '../../support/proxy.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const REQUESTS = 3_000;
const CONNECTIONS = 20;
const ENTRIES = REQUESTS + CONNECTIONS;

describe('an Envoy, Satellite, an OAP', () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  before(async () => {
    upstream = await startUpstream();
  });
  after(() => {
    upstream.server.close();
  });

  for (const name of PROXY_NAMES) {
    test(
      `every entry arrives once with ${name} before and behind Satellite`,
      { skip: skipWithout('envoy', name) },
      async (t) => {
        const oap = await new IndependentOap().start();
        t.after(() => oap.kill());
        const behind = await Proxy.start(name, oap.port);
        t.after(() => behind.stop());
        const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: [behind.address] }) });
        t.after(() => satellite.stop());
        const front = await Proxy.start(name, satellite.grpcPort);
        t.after(() => front.stop());
        const envoy = await Envoy.start({
          alsPort: front.port,
          nodeId: name,
          concurrency: 2,
          upstreamPort: upstream.port,
        });
        t.after(() => envoy.stop());

        const paths = pathsFor(name, REQUESTS);
        await Promise.all([sendRequests(envoy.httpPort, paths, 16), openConnections(envoy.tcpPort, CONNECTIONS, 4)]);
        const books = await eventually({ until: 'Satellite has delivered everything', withinMs: 20_000 }, async () => {
          const now = await satellite.readBooks('envoy-als-v3');
          return now.received >= ENTRIES && now.held === 0 ? now : undefined;
        });

        assert.deepEqual(books, { received: ENTRIES, delivered: ENTRIES, dropped: 0, held: 0 });
        const { http, tcp } = collect([oap]);
        assert.deepEqual(findFaults(http.get(name) ?? new Map<string, number>(), paths), []);
        assert.equal(tcp.get(name), CONNECTIONS);
      },
    );
  }
});
