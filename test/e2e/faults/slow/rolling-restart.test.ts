import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { compareBooks, startFakeOap, startFaultyNetwork, startFleet } from '../../../../src/lab/index.js';
import { eventually } from '../../../support/eventually.js';
import { loggedBooks } from '../../../support/fault-run.js';
import { Satellite, writeAlsConfig, type EntryBooks } from '../../../support/satellite.js';

const ENVOYS = 200;
const RATE = 10_000;
const ENTRIES_PER_MESSAGE = 13;
/** Each way: what is sent meanwhile crosses the end of its stream. */
const LATENCY_MS = 20;

/** One address, as a Kubernetes service is: each new connection goes to the next satellite that is ready. */
class Service {
  readonly satellites: Satellite[] = [];
  private turn = 0;

  get port(): number {
    this.turn++;
    const satellite = this.satellites[this.turn % this.satellites.length];
    // Nobody is there: the connection is refused.
    return satellite?.grpcPort ?? 1;
  }
}

test('a rolling restart of two satellites behind one address, at a distance, loses nothing', async (t) => {
  const oaps = await Promise.all([startFakeOap({ delayMs: 5 }), startFakeOap({ delayMs: 5 })]);
  const config = writeAlsConfig({ oaps: oaps.map((oap) => oap.address) });
  const start = async (context: TestContext): Promise<Satellite> => {
    const satellite = await Satellite.start({ config, args: ['-t', '20'] });
    context.after(() => satellite.child.kill());
    return satellite;
  };
  const service = new Service();
  service.satellites.push(await start(t), await start(t));
  const network = await startFaultyNetwork(service);
  network.setLatency(LATENCY_MS);
  const fleet = startFleet({
    port: network.port,
    envoys: ENVOYS,
    entriesPerSecond: RATE,
    entriesPerMessage: ENTRIES_PER_MESSAGE,
    seconds: 120,
  });
  t.after(async () => {
    void fleet.stop();
    await network.close();
    await Promise.all(oaps.map((oap) => oap.close()));
  });
  await eventually({ until: 'all Envoys send', withinMs: 10_000 }, () =>
    fleet.stats().entries > 2 * RATE ? true : undefined,
  );

  const finished: EntryBooks[] = [];
  for (const old of [...service.satellites]) {
    // As Kubernetes does: the new one is ready first, then the old one leaves the service and gets its SIGTERM.
    service.satellites.push(await start(t));
    service.satellites.splice(service.satellites.indexOf(old), 1);
    assert.deepEqual(await old.child.stop('SIGTERM', 25_000), { code: 0, signal: null });
    finished.push(loggedBooks(old));
    const before = fleet.stats().entries;
    await eventually({ until: 'all Envoys are back and send', withinMs: 10_000 }, () => {
      const { connections, entries } = fleet.stats();
      return connections >= ENVOYS && entries > before + RATE ? true : undefined;
    });
  }
  const sent = await fleet.stop();
  for (const satellite of service.satellites) {
    assert.deepEqual(await satellite.child.stop('SIGTERM', 25_000), { code: 0, signal: null });
    finished.push(loggedBooks(satellite));
  }

  const comparison = compareBooks(
    fleet.entriesByEnvoy(),
    oaps.flatMap((oap) => oap.books()),
  );
  const received = finished.reduce((sum, books) => sum + books.received, 0);
  assert.equal(
    finished.reduce((sum, books) => sum + books.delivered, 0),
    received,
  );
  assert.equal(comparison.deliveredEntries, received);
  assert.equal(comparison.doubledEntries, 0);
  const { missingEntries } = comparison;
  t.diagnostic(`${sent.entries} entries sent, ${missingEntries} lost, ${sent.endedStreams} streams moved`);
  assert.ok(sent.endedStreams >= ENVOYS);
  // What flow control still held back an Envoy gives up with its stream.
  assert.equal(sent.abandonedMessages, 0);
  assert.equal(missingEntries, 0);
});
