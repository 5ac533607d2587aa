import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import {
  compareBooks,
  startFakeOap,
  startFleet,
  type FakeOap,
  type Fleet,
  type OapOptions,
} from '../../../src/lab/index.js';
import { eventually } from '../../support/eventually.js';
import { findFreePorts } from '../../support/ports.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const PIPE = 'envoy-als-v3';
const ENVOYS = 150;
const ENTRIES_PER_SECOND = 6_000;
const OBSERVED_MS = 10_000;
const MOST_OVER_MEAN = 1.05;
const LEAST_SHARE_OF_NEWCOMER = 0.9;

/** Entries each OAP accepts while the test looks on. */
async function observe(oaps: readonly FakeOap[]): Promise<number[]> {
  const before = oaps.map((oap) => oap.stats().acceptedEntries);
  await sleep(OBSERVED_MS);
  return oaps.map((oap, index) => oap.stats().acceptedEntries - (before[index] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function stopAndCompare(fleet: Fleet, satellite: Satellite, oaps: readonly FakeOap[]): Promise<void> {
  const sent = await fleet.stop();
  const books = await eventually({ until: 'Satellite holds nothing', withinMs: 20_000 }, async () => {
    const now = await satellite.readBooks(PIPE);
    return now.received >= sent.entries && now.held === 0 ? now : undefined;
  });
  assert.deepEqual(books, { received: sent.entries, delivered: sent.entries, dropped: 0, held: 0 });
  const comparison = compareBooks(
    fleet.entriesByEnvoy(),
    oaps.flatMap((oap) => oap.books()),
  );
  assert.deepEqual(comparison, {
    sentEntries: sent.entries,
    deliveredEntries: sent.entries,
    missingEntries: 0,
    doubledEntries: 0,
    examples: [],
    doubles: [],
  });
  assert.deepEqual(
    oaps.map((oap) => oap.stats().misplacedEntries),
    oaps.map(() => 0),
  );
}

interface Scene {
  readonly oaps: FakeOap[];
  readonly satellite: Satellite;
  readonly fleet: Fleet;
}

/** Four OAPs in use behind a Satellite that a skewed fleet sends to; `more` are addresses known from the start. */
async function setScene(t: TestContext, options: Partial<OapOptions>, more: readonly string[] = []): Promise<Scene> {
  const oaps = await Promise.all(Array.from({ length: 4 }, () => startFakeOap(options)));
  const addresses = [...oaps.map((oap) => oap.address), ...more];
  const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: addresses }) });
  const fleet = startFleet({
    port: satellite.grpcPort,
    envoys: ENVOYS,
    entriesPerSecond: ENTRIES_PER_SECOND,
    zipfSkew: 1.2,
    seconds: 120,
  });
  t.after(async () => {
    await fleet.stop();
    await satellite.child.kill();
    await Promise.all(oaps.map((oap) => oap.close()));
  });
  await eventually({ until: 'every OAP is in use', withinMs: 20_000 }, () => {
    return oaps.every((oap) => oap.stats().acceptedEntries > ENTRIES_PER_SECOND / 2) ? true : undefined;
  });
  return { oaps, satellite, fleet };
}

test('skewed Envoys load four OAPs evenly, and a fifth soon takes its share', async (t) => {
  const [port] = (await findFreePorts(1)) as [number];
  const { oaps, satellite, fleet } = await setScene(t, {}, [`127.0.0.1:${port}`]);

  const four = await observe(oaps);
  assert.ok(Math.max(...four) <= MOST_OVER_MEAN * mean(four), `entries of four OAPs: ${four.join(', ')}`);

  const fifth = await startFakeOap({ port });
  oaps.push(fifth);
  await eventually({ until: 'the fifth OAP is in use', withinMs: 40_000 }, () => {
    return fifth.stats().acceptedEntries > 0 ? true : undefined;
  });
  const five = await observe(oaps);
  assert.ok((five[4] ?? 0) >= LEAST_SHARE_OF_NEWCOMER * mean(five), `entries of five OAPs: ${five.join(', ')}`);
  assert.ok(Math.max(...five) <= MOST_OVER_MEAN * mean(five), `entries of five OAPs: ${five.join(', ')}`);

  await stopAndCompare(fleet, satellite, oaps);
});

test('an OAP five times slower than the others gets less, and delays nobody', async (t) => {
  const { oaps, satellite, fleet } = await setScene(t, { delayMs: 50 });
  const slow = oaps[3]!;
  const others = oaps.slice(0, 3);
  const slowestOfOthers = (): number => Math.max(...others.map((oap) => oap.stats().latencyP99Ms));
  for (const oap of oaps) oap.resetLatency();
  await observe(oaps);
  const before = slowestOfOthers();

  slow.set({ slowFactor: 5 });
  for (const oap of oaps) oap.resetLatency();
  const entries = await observe(oaps);
  assert.ok((entries[3] ?? 0) < 0.6 * mean(entries), `entries, the slow OAP last: ${entries.join(', ')}`);
  assert.ok(slowestOfOthers() <= 1.5 * before, `p99 of the others: ${before} ms before, ${slowestOfOthers()} ms after`);

  await stopAndCompare(fleet, satellite, oaps);
});
