import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { skipWithout } from '../../../support/components.js';
import { Envoy } from '../../../support/envoy.js';
import { eventually, settled } from '../../../support/eventually.js';
import { pathsFor, sendRequests, startUpstream } from '../../../support/load.js';
import { Oap } from '../../../support/oap.js';
import { Satellite, writeAlsConfig } from '../../../support/satellite.js';

const PIPE = 'envoy-als-v3';
const REQUESTS = 5_000;
/** OAP refreshes its metrics page every 10 s or so: a count that stands for longer is final. */
const OAP_QUIET_MS = 12_000;

describe('a real Envoy, Satellite, two real OAPs', { skip: skipWithout('envoy', 'oap') }, () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  before(async () => {
    upstream = await startUpstream();
  });
  after(() => {
    upstream.server.close();
  });

  test('one refuses our token, one is killed and comes back: what Envoy wrote is what OAP counted', async (t) => {
    const [strict, mortal] = await Promise.all([Oap.start({ token: 'another' }), Oap.start()]);
    let living = mortal;
    t.after(() => Promise.all([strict.stop(), living.stop()]));
    const oaps = [strict, mortal].map((oap) => `127.0.0.1:${oap.grpcPort}`);
    const satellite = await Satellite.start({
      config: writeAlsConfig({ oaps, clientOptions: { authentication: 'ours' } }),
    });
    t.after(() => satellite.stop());
    const envoy = await Envoy.start({
      alsPort: satellite.grpcPort,
      nodeId: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
      concurrency: 2,
      upstreamPort: upstream.port,
    });
    t.after(() => envoy.stop());
    const waitBooks = (entries: number, until: 'delivered' | 'received'): Promise<true> =>
      eventually({ until: `${entries} entries are ${until}`, withinMs: 60_000 }, async () =>
        (await satellite.readBooks(PIPE))[until] >= entries ? true : undefined,
      );
    const count = (oap: Oap): Promise<number> =>
      settled({ until: 'OAP counts nothing more', withinMs: 60_000, quietMs: OAP_QUIET_MS, everyMs: 500 }, async () => {
        const entries = await oap.readEntries();
        return entries > 0 ? entries : Number.NaN;
      });

    await sendRequests(envoy.httpPort, pathsFor('before', REQUESTS), 32);
    await waitBooks(REQUESTS, 'delivered');
    const countedBefore = await count(mortal);

    await mortal.stop();
    await sendRequests(envoy.httpPort, pathsFor('without', REQUESTS), 32);
    await waitBooks(2 * REQUESTS, 'received');
    living = await Oap.start({ grpcPort: mortal.grpcPort });
    await sendRequests(envoy.httpPort, pathsFor('after', REQUESTS), 32);
    await waitBooks(3 * REQUESTS, 'delivered');
    const countedAfter = await count(living);

    const written = await envoy.readHttpEntries();
    assert.deepEqual(written, { written: 3 * REQUESTS, dropped: 0 });
    assert.deepEqual(await satellite.readBooks(PIPE), {
      received: written.written,
      delivered: written.written,
      dropped: 0,
      held: 0,
    });
    assert.equal(countedBefore + countedAfter, written.written);
    assert.equal(await strict.readEntries(), 0);
  });
});
