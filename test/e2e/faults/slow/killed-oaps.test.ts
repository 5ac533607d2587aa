import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeReport } from '../../../../src/lab/index.js';
import { eventually } from '../../../support/eventually.js';
import { complaintsOf, FaultRun } from '../../../support/fault-run.js';
import { readMemory } from '../../../support/memory.js';
import { MortalOap } from '../../../support/mortal-oap.js';
import { makeTemporaryFolder } from '../../../support/temporary.js';

/** 40 Envoys together. */
const RATE = 25_000;
const FLEET = { envoys: 40, entriesPerSecond: RATE };
/** Four a backend. */
const MOST_BATCHES_OUT = 12;
/** 1 MiB. */
const ENTRIES_OF_A_BATCH = 826;
const BUCKET_MS = 100;
/** Of the 3 s after the kill. */
const BUCKETS = 30;
/** A minute by hand (CONTRIBUTING.md). */
const OUTAGE_S = Number(process.env.OUTAGE_SECONDS ?? 60);
/** A few seconds of the load. */
const BUDGET_MIB = 64;
/** The heap, and buffers that wait for the garbage collector: a backlog is read back at 50 MB/s, load going on. */
const BESIDE_MIB = 160;
/** In which an OAP that is back must be in use again. */
const BACK_WITHIN_MS = 15_000;

async function startOaps(t: TestContext, count: number): Promise<MortalOap[]> {
  const oaps = Array.from({ length: count }, () => new MortalOap());
  await Promise.all(oaps.map((oap) => oap.start()));
  t.after(() => Promise.all(oaps.map((oap) => oap.end())));
  return oaps;
}

async function waitUsedAgain(oap: MortalOap): Promise<number> {
  const before = oap.accepted();
  const startMs = performance.now();
  await eventually({ until: 'the OAP is in use again', withinMs: BACK_WITHIN_MS, everyMs: 20 }, () => {
    return oap.accepted() > before ? true : undefined;
  });
  return performance.now() - startMs;
}

/** What they accept together in each of the next intervals. */
async function throughputOf(oaps: readonly MortalOap[], buckets: number): Promise<number[]> {
  const accepted = (): number => oaps.reduce((sum, oap) => sum + oap.accepted(), 0);
  const counts: number[] = [];
  const startMs = performance.now();
  let last = accepted();
  for (let bucket = 1; bucket <= buckets; bucket++) {
    await sleep(startMs + bucket * BUCKET_MS - performance.now());
    const now = accepted();
    counts.push(now - last);
    last = now;
  }
  return counts;
}

function reportsOf(oaps: readonly MortalOap[]): () => NodeReport[] {
  return () => oaps.flatMap((oap) => oap.books());
}

test('one of three OAPs is killed with SIGKILL at 25,000 entries a second and started again: 0 lost', async (t) => {
  const oaps = await startOaps(t, 3);
  const [dying] = oaps as [MortalOap];
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address), fleet: FLEET });
  await run.sendMore(2 * RATE);
  const before = await throughputOf(oaps, BUCKETS / 3);
  dying.signal('SIGKILL');
  const after = await throughputOf(oaps, BUCKETS);
  t.diagnostic(`accepted per ${BUCKET_MS} ms before: ${before.join(' ')}; after the kill: ${after.join(' ')}`);
  await dying.start();
  t.diagnostic(`in use again after ${Math.round(await waitUsedAgain(dying))} ms`);
  const { sent, books, comparison, announcedDoubles } = await run.settle(reportsOf(oaps));
  t.diagnostic(`${sent.entries} sent, ${comparison.doubledEntries} twice, ${announcedDoubles} announced`);
  assert.equal(books.dropped, 0);
  // Batches that were on their way to it; the others are out of danger.
  assert.ok(announcedDoubles <= MOST_BATCHES_OUT * ENTRIES_OF_A_BATCH, `${announcedDoubles} announced`);
});

test('an OAP that is stopped (SIGSTOP) for 8 s is left out meanwhile, and nothing is lost', async (t) => {
  const oaps = await startOaps(t, 3);
  const [frozen] = oaps as [MortalOap];
  const run = await FaultRun.start(t, { oaps: oaps.map((oap) => oap.address) });
  await run.sendMore(10_000);
  frozen.signal('SIGSTOP');
  const before = await run.books();
  await run.sendMore(8 * 12_000, 30_000);
  const after = await run.books();
  assert.ok(after.delivered - before.delivered > 0.9 * (after.received - before.received));
  frozen.signal('SIGCONT');
  await waitUsedAgain(frozen);
  const { books } = await run.settle(reportsOf(oaps));
  assert.equal(books.dropped, 0);
});

test(`all OAPs are dead for ${OUTAGE_S} s and come back: 0 lost, and at most 100 lines in the log`, async (t) => {
  const oaps = await startOaps(t, 2);
  const rate = 8_000;
  const run = await FaultRun.start(t, {
    oaps: oaps.map((oap) => oap.address),
    fleet: { entriesPerSecond: rate },
    queueOptions: { event_buffer_size: 100_000 },
    memoryLimit: '1GiB',
  });
  await run.sendMore(2 * rate);
  for (const oap of oaps) oap.signal('SIGKILL');
  const lines = run.satellite.child.output.split('\n').length;
  await run.sendMore(OUTAGE_S * rate, 2000 * OUTAGE_S);
  const { held } = await run.books();
  await Promise.all(oaps.map((oap) => oap.start()));
  const startMs = performance.now();
  const { books } = await run.settle(reportsOf(oaps), 60_000);
  const written = run.satellite.child.output.split('\n').length - lines;
  t.diagnostic(`${held} held, worked off in ${Math.round(performance.now() - startMs)} ms, ${written} log lines`);
  assert.equal(books.dropped, 0);
  assert.ok(written <= 100, complaintsOf(run.satellite).join('\n'));
});

test(`all OAPs are dead for ${OUTAGE_S} s at full rate, with a queue on disk: 0 lost, memory flat, at most 100 lines`, async (t) => {
  const oaps = await startOaps(t, 3);
  const run = await FaultRun.start(t, {
    oaps: oaps.map((oap) => oap.address),
    fleet: { ...FLEET, seconds: 10 * OUTAGE_S },
    queue: 'mmap-queue',
    queueOptions: { directory: makeTemporaryFolder(), capacity: '16GiB' },
    memoryLimit: `${BUDGET_MIB}MiB`,
  });
  await run.sendMore(2 * RATE);
  for (const oap of oaps) oap.signal('SIGKILL');
  const lines = run.satellite.child.output.split('\n').length;
  const usage = { most: 0 };
  const look = (): void => {
    usage.most = Math.max(usage.most, readMemory(run.satellite.child.pid).privateMib);
  };
  for (let second = 0; second < OUTAGE_S; second++) {
    await run.sendMore(RATE);
    look();
  }
  const { held } = await run.books();
  t.diagnostic(`${held} held, at most ${usage.most} MiB of private memory`);
  await Promise.all(oaps.map((oap) => oap.start()));
  const startMs = performance.now();
  await eventually({ until: 'the backlog is delivered, load going on', withinMs: 5000 * OUTAGE_S }, async () => {
    look();
    return (await run.books()).held < 2 * RATE ? true : undefined;
  });
  t.diagnostic(`worked off in ${Math.round(performance.now() - startMs)} ms, at most ${usage.most} MiB`);
  const { books, comparison } = await run.settle(reportsOf(oaps), 60_000);
  const written = run.satellite.child.output.split('\n').length - lines;
  t.diagnostic(`${books.received} received, ${comparison.doubledEntries} twice, ${written} log lines`);
  assert.equal(books.dropped, 0);
  assert.ok(held > (OUTAGE_S - 1) * RATE);
  assert.ok(usage.most <= BUDGET_MIB + BESIDE_MIB, `${usage.most} MiB`);
  assert.ok(written <= 100, complaintsOf(run.satellite).join('\n'));
});
