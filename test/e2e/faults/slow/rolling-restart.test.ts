import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { compareBooks, startFakeOap, startFaultyNetwork, startFleet } from '../../../../src/lab/index.js';
import { eventually } from '../../../support/eventually.js';
import { loggedBooks } from '../../../support/fault-run.js';
import { Satellite, writeAlsConfig, type EntryBooks } from '../../../support/satellite.js';

const ENVOYS = 200;
const RATE = 10_000;
/** Messages of one stream that may be on their way when Satellite ends it: Envoy throws them away. */
const LOST_MESSAGES_PER_STREAM = 1;
const ENTRIES_PER_MESSAGE = 13;

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

test('a rolling restart of two satellites behind one address loses at most what Envoy itself throws away', async (t) => {
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
  assert.ok(missingEntries <= sent.endedStreams * LOST_MESSAGES_PER_STREAM * ENTRIES_PER_MESSAGE);
});
