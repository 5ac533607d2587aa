import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { compareBooks, startFakeOap, type FakeOap } from '../../../src/lab/index.js';
import { complaintsOf, FaultRun, loggedBooks } from '../../support/fault-run.js';
import { makeTemporaryFolder } from '../../support/temporary.js';

const DONE = { code: 0, signal: null };

async function startOaps(t: TestContext): Promise<FakeOap[]> {
  const oaps = await Promise.all([startFakeOap({ delayMs: 10 }), startFakeOap({ delayMs: 10 })]);
  t.after(() => Promise.all(oaps.map((oap) => oap.close())));
  return oaps;
}

test('SIGTERM under load: everything that was accepted is delivered, once, and it exits with 0', async (t) => {
  const oaps = await startOaps(t);
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address), args: ['-t', '10'] });
  await run.sendMore(10_000);
  assert.deepEqual(await run.satellite.child.stop('SIGTERM', 10_000), DONE);
  const books = loggedBooks(run.satellite);
  assert.deepEqual(books, { received: books.received, delivered: books.received, dropped: 0, held: 0 });
  const comparison = compareBooks(
    run.fleet.entriesByEnvoy(),
    oaps.flatMap((oap) => oap.books()),
  );
  assert.equal(comparison.deliveredEntries, books.delivered);
  assert.equal(comparison.doubledEntries, 0);
});

/** How no OAP takes anything, and how that ends. */
interface Outage {
  readonly outage: string;
  readonly begin: (oap: FakeOap) => Promise<void> | void;
  readonly end: (oap: FakeOap) => Promise<void> | void;
}

const OUTAGES: readonly Outage[] = [
  { outage: 'stalled', begin: (oap) => oap.set({ stall: true }), end: (oap) => oap.set({ stall: false }) },
  { outage: 'down', begin: (oap) => oap.kill(), end: (oap) => oap.revive() },
];

for (const { outage, begin, end } of OUTAGES) {
  test(`SIGTERM under load with every OAP ${outage}: it exits in time, and what it held is counted as dropped`, async (t) => {
    const oaps = await startOaps(t);
    for (const oap of oaps) await begin(oap);
    const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address), args: ['-t', '2'] });
    await run.sendMore(10_000);
    assert.deepEqual(await run.satellite.child.stop('SIGTERM', 4_000), DONE);
    const books = loggedBooks(run.satellite);
    assert.deepEqual(books, { received: books.received, delivered: 0, dropped: books.received, held: 0 });
    assert.ok(books.received >= 10_000);
    assert.match(run.satellite.child.output, /drained: 0 entries delivered, 0 kept on disk, [1-9]\d* dropped/);
  });

  test(`SIGTERM with every OAP ${outage} and a queue on disk: all is kept, and delivered after the next start`, async (t) => {
    const oaps = await startOaps(t);
    for (const oap of oaps) await begin(oap);
    const config = {
      oaps: oaps.map((oap) => oap.address),
      queue: 'mmap-queue',
      queueOptions: { directory: makeTemporaryFolder() },
      args: ['-t', '3'],
    };
    const run = await FaultRun.start(t, config);
    await run.sendMore(10_000);
    assert.deepEqual(await run.satellite.child.stop('SIGTERM', 5_000), DONE);
    const books = loggedBooks(run.satellite);
    assert.deepEqual(books, { received: books.received, delivered: 0, dropped: 0, held: books.received });
    assert.match(run.satellite.child.output, new RegExp(`drained: 0 entries delivered, ${books.held} kept on disk`));

    for (const oap of oaps) await end(oap);
    const again = await FaultRun.start(t, { ...config, fleet: { entriesPerSecond: 0 } });
    await again.waitDelivered(books.held);
    const comparison = compareBooks(
      run.fleet.entriesByEnvoy(),
      oaps.flatMap((oap) => oap.books()),
    );
    assert.equal(comparison.deliveredEntries, books.held);
    assert.equal(comparison.doubledEntries, 0);
  });
}

test('SIGHUP stops nothing', async (t) => {
  const oaps = await startOaps(t);
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address) });
  await run.sendMore(1_000);
  run.satellite.child.signal('SIGHUP');
  await run.sendMore(2_000);
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
  assert.match(complaintsOf(run.satellite).join('\n'), /SIGHUP/);
});
