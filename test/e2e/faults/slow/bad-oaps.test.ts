import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  startFakeOap,
  startFaultyNetwork,
  startRogueOap,
  type FakeOap,
  type OapOptions,
} from '../../../../src/lab/index.js';
import { FaultRun } from '../../../support/fault-run.js';

/** So that a call without an answer is given up within the test. */
const IMPATIENT = {
  senderOptions: { stall_timeout: '1s' },
  clientOptions: { timeout: '{ unary: "5s", stream: "1s" }' },
};
const RESOURCE_EXHAUSTED = 8;
const RATE = 12_000;
const LEAST_SHARE = 0.95;
/** While every OAP refuses the token one batch tries in this time. */
const TOKEN_PROBE_MS = 30_000;

async function startOap(t: TestContext, options: Partial<OapOptions> = {}): Promise<FakeOap> {
  const oap = await startFakeOap(options);
  t.after(() => oap.close());
  return oap;
}

test('of five OAPs one stalls, one refuses everything, one hangs: the others take nearly all at once, no source is paused', async (t) => {
  const bad = [
    await startOap(t, { stall: true }),
    await startOap(t, { failRatio: 1, failStatus: RESOURCE_EXHAUSTED }),
    await startOap(t, { neverAnswer: true }),
  ];
  const good = [await startOap(t, { delayMs: 10 }), await startOap(t, { delayMs: 10 })];
  const run = await FaultRun.start(t, {
    oaps: [...bad, ...good].map((oap) => oap.address),
    fleet: { entriesPerSecond: RATE },
    // Room for ten seconds: were batches held up, sources would be paused.
    queueOptions: { event_buffer_size: 300, when_full: 'block' },
    clientOptions: { timeout: '{ unary: "5s", stream: "8s" }' },
  });
  // The first batches find out who is who.
  await run.sendMore(3 * RATE);
  const accepted = (): number => good.reduce((sum, oap) => sum + oap.stats().acceptedEntries, 0);
  const before = { made: run.fleet.stats().entries, accepted: accepted() };
  await run.sendMore(10 * RATE, 30_000);
  const share = (accepted() - before.accepted) / (run.fleet.stats().entries - before.made);
  t.diagnostic(`${(100 * share).toFixed(1)} % of what was made meanwhile was accepted`);
  assert.ok(share >= LEAST_SHARE);
  const { books, comparison } = await run.settle(() => good.flatMap((oap) => oap.books()), 60_000);
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
  assert.equal(await run.metric('gatherer_pause_count'), 0);
});

// Those whose failures look like the data's fault once two OAPs agree.
for (const kind of ['reset', 'no-trailers'] as const) {
  test(`two OAPs that break the protocol the same way (${kind}) lose nothing that a third takes`, async (t) => {
    const rogues = await Promise.all([startRogueOap(kind), startRogueOap(kind)]);
    t.after(() => Promise.all(rogues.map((rogue) => rogue.close())));
    const good = await startOap(t);
    const oaps = [...rogues.map((rogue) => rogue.address), good.address];
    const run = await FaultRun.start(t, { oaps, ...IMPATIENT });
    await run.sendMore(30_000);
    const { books, comparison } = await run.settle(() => good.books());
    assert.equal(books.dropped, 0);
    assert.equal(comparison.doubledEntries, 0);
  });
}

test('an OAP five times slower than the other holds nothing up', async (t) => {
  const slow = await startOap(t, { delayMs: 20, slowFactor: 5 });
  const good = await startOap(t, { delayMs: 20 });
  const run = await FaultRun.start(t, { oaps: [slow.address, good.address] });
  await run.sendMore(30_000);
  const { books, comparison } = await run.settle(() => [...slow.books(), ...good.books()]);
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
});

test('a network that crawls before one of two OAPs holds nothing up', async (t) => {
  const oaps = [await startOap(t), await startOap(t)] as const;
  const network = await startFaultyNetwork(oaps[0]);
  t.after(() => network.close());
  const run = await FaultRun.start(t, { oaps: [network.address, oaps[1].address], ...IMPATIENT });
  await run.sendMore(5_000);
  network.setSpeed(50_000);
  await run.sendMore(60_000);
  network.setSpeed(Infinity);
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
});

test('every OAP refuses our token for a while: everything is held, few calls are made, nothing is lost', async (t) => {
  const oaps = [await startOap(t), await startOap(t)];
  const run = await FaultRun.start(t, {
    oaps: oaps.map((oap) => oap.address),
    fleet: { entriesPerSecond: 3_000 },
    queueOptions: { event_buffer_size: 100_000 },
    memoryLimit: '512MiB',
  });
  await run.sendMore(6_000);
  for (const oap of oaps) oap.set({ token: 'another' });
  await run.sendMore(6_000);
  const calls = oaps.reduce((sum, oap) => sum + oap.stats().calls, 0);
  await run.sendMore(9_000);
  const more = oaps.reduce((sum, oap) => sum + oap.stats().calls, 0) - calls;
  assert.ok(more <= 20, `${more} calls in 3 s`);
  for (const oap of oaps) oap.set({ token: '' });
  const { books, comparison } = await run.settle(() => oaps.flatMap((oap) => oap.books()), 2 * TOKEN_PROBE_MS);
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
});
