import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startFakeOap, type FakeOap } from '../../../src/lab/index.js';
import { eventually } from '../../support/eventually.js';
import { complaintsOf, FaultRun } from '../../support/fault-run.js';

async function startOaps(t: TestContext, count: number): Promise<FakeOap[]> {
  const oaps = await Promise.all(Array.from({ length: count }, () => startFakeOap()));
  t.after(() => Promise.all(oaps.map((oap) => oap.close())));
  return oaps;
}

test('one of three OAPs dies under load and comes back: nothing is lost', async (t) => {
  const oaps = await startOaps(t, 3);
  const [dying] = oaps as [FakeOap];
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address) });
  await run.sendMore(3_000);
  await dying.kill();
  await run.sendMore(4_000);
  const before = dying.stats().acceptedEntries;
  await dying.revive();
  await eventually({ until: 'the OAP that died is in use again', withinMs: 15_000 }, () => {
    return dying.stats().acceptedEntries > before ? true : undefined;
  });
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
});

test('all OAPs are down for a while and come back: what is held meanwhile arrives, and the log stays short', async (t) => {
  const oaps = await startOaps(t, 2);
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address) });
  await run.sendMore(2_000);
  await Promise.all(oaps.map((oap) => oap.kill()));
  await run.sendMore(20_000);
  assert.ok((await run.books()).held > 0);
  await Promise.all(oaps.map((oap) => oap.revive()));
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
  assert.ok(complaintsOf(run.satellite).length <= 20, complaintsOf(run.satellite).join('\n'));
});
