import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { skipWithout } from '../../support/components.js';
import { Envoy } from '../../support/envoy.js';
import { eventually } from '../../support/eventually.js';
import { sumOf } from '../../support/exposition.js';
import { collect, findFaults, IndependentOap } from '../../support/independent-oap.js';
import { openConnections, pathsFor, sendRequests, startUpstream } from '../../support/load.js';
import { findFreePorts } from '../../support/ports.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const PIPE = 'envoy-als-v3';
const REQUESTS = 2_000;
const CONNECTIONS = 20;
/** Of requests, until an OAP that came must have been given some; a round takes half a second. */
const MOST_ROUNDS = 60;

describe('real Envoys, Satellite, three OAPs', { skip: skipWithout('envoy') }, () => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;

  before(async () => {
    upstream = await startUpstream();
  });
  after(() => {
    upstream.server.close();
  });

  async function startEnvoy(t: TestContext, satellite: Satellite, nodeId: string): Promise<Envoy> {
    const upstreamPort = upstream.port;
    const envoy = await Envoy.start({ alsPort: satellite.grpcPort, nodeId, concurrency: 2, upstreamPort });
    t.after(() => envoy.stop());
    return envoy;
  }

  async function startOaps(t: TestContext, count: number): Promise<IndependentOap[]> {
    const oaps = await Promise.all(Array.from({ length: count }, () => new IndependentOap().start()));
    t.after(() => {
      for (const oap of oaps) oap.kill();
    });
    return oaps;
  }

  async function startSatellite(t: TestContext, addresses: readonly string[]): Promise<Satellite> {
    const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: addresses }) });
    t.after(() => satellite.stop());
    return satellite;
  }

  /** Waits until everything sent so far is delivered: Envoy then has nothing left to lose either. */
  async function waitDelivered(satellite: Satellite, entries: number): Promise<void> {
    const patience = { until: `${entries} entries are delivered`, withinMs: 20_000 };
    await eventually(patience, async () => {
      const books = await satellite.readBooks(PIPE);
      return books.received >= entries && books.held === 0 ? books : undefined;
    });
    assert.deepEqual(await satellite.readBooks(PIPE), { received: entries, delivered: entries, dropped: 0, held: 0 });
  }

  test('every entry arrives once under its node, through an Envoy restart', async (t) => {
    const oaps = await startOaps(t, 3);
    const satellite = await startSatellite(
      t,
      oaps.map((oap) => oap.address),
    );
    const first = await startEnvoy(t, satellite, 'first');
    const second = await startEnvoy(t, satellite, 'second');
    await Promise.all([
      sendRequests(first.httpPort, pathsFor('first-1', REQUESTS), 16),
      sendRequests(second.httpPort, pathsFor('second-1', REQUESTS), 16),
      openConnections(first.tcpPort, CONNECTIONS, 4),
      openConnections(second.tcpPort, CONNECTIONS, 4),
    ]);
    await waitDelivered(satellite, 2 * (REQUESTS + CONNECTIONS));

    await first.stop();
    const again = await startEnvoy(t, satellite, 'first');
    await Promise.all([
      sendRequests(again.httpPort, pathsFor('first-2', REQUESTS), 16),
      sendRequests(second.httpPort, pathsFor('second-2', REQUESTS), 16),
    ]);
    await waitDelivered(satellite, 4 * REQUESTS + 2 * CONNECTIONS);

    const { http, tcp } = collect(oaps);
    assert.deepEqual([...http.keys()].sort(), ['first', 'second']);
    for (const node of ['first', 'second']) {
      const expected = [...pathsFor(`${node}-1`, REQUESTS), ...pathsFor(`${node}-2`, REQUESTS)];
      assert.deepEqual(findFaults(http.get(node) ?? new Map<string, number>(), expected), []);
      assert.equal(tcp.get(node), CONNECTIONS);
    }
  });

  test('every entry arrives once under its node while one OAP leaves in order and another comes', async (t) => {
    const oaps = await startOaps(t, 3);
    const [leaving] = oaps as [IndependentOap];
    const coming = new IndependentOap((await findFreePorts(1))[0]);
    t.after(() => coming.kill());
    const satellite = await startSatellite(
      t,
      [...oaps, coming].map((oap) => oap.address),
    );
    const envoy = await startEnvoy(t, satellite, 'only');
    const sent: string[] = [];
    const send = async (name: string): Promise<void> => {
      const paths = pathsFor(name, REQUESTS);
      sent.push(...paths);
      await sendRequests(envoy.httpPort, paths, 16);
    };

    await send('before');
    await Promise.all([send('leaving'), leaving.drain()]);
    await coming.start();
    for (let round = 0; coming.httpEntries === 0; round++) {
      assert.ok(round < MOST_ROUNDS, 'the OAP that came is given nothing');
      await send(`coming-${round}`);
    }
    await waitDelivered(satellite, sent.length);

    const { http } = collect([...oaps, coming]);
    assert.deepEqual([...http.keys()], ['only']);
    assert.deepEqual(findFaults(http.get('only') ?? new Map<string, number>(), sent), []);
  });

  test('an OAP that dies takes nothing with it; what comes twice is what Satellite says may', async (t) => {
    const oaps = await startOaps(t, 3);
    const satellite = await startSatellite(
      t,
      oaps.map((oap) => oap.address),
    );
    const envoy = await startEnvoy(t, satellite, 'only');
    const sent = pathsFor('only', 5 * REQUESTS);
    const sending = sendRequests(envoy.httpPort, sent, 16);
    await eventually({ until: 'the first OAP is in use', withinMs: 10_000, everyMs: 1 }, () => {
      return (oaps[0]?.calls ?? 0) > 0 ? true : undefined;
    });
    oaps[0]?.kill();
    await sending;
    await waitDelivered(satellite, sent.length);

    const paths = collect(oaps).http.get('only') ?? new Map<string, number>();
    assert.deepEqual(
      sent.filter((path) => !paths.has(path)),
      [],
    );
    const arrived = [...paths.values()].reduce((sum, times) => sum + times, 0);
    const twice = sumOf(await satellite.scrape(), 'sender_possible_duplicate_entries_count', { pipe: PIPE });
    assert.ok(arrived - sent.length <= twice, `${arrived - sent.length} entries came twice, announced were ${twice}`);
  });
});
