/** Both ends of the laboratory against each other, over real sockets: their books must agree. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  compareBooks,
  startFakeOap,
  startFleet,
  type BooksComparison,
  type FakeOap,
  type FleetOptions,
  type FleetStats,
  type OapOptions,
} from '../../../src/lab/index.js';

const ENTRIES = 2000;

interface Outcome {
  readonly oap: FakeOap;
  readonly fleet: FleetStats;
  readonly books: BooksComparison;
}

async function run(t: TestContext, fleet: Partial<FleetOptions>, oap: Partial<OapOptions> = {}): Promise<Outcome> {
  const fake = await startFakeOap(oap);
  t.after(() => fake.close());
  const running = startFleet({
    port: fake.port,
    envoys: 5,
    entriesPerSecond: 20_000,
    connectOverMs: 50,
    maxEntries: ENTRIES,
    seconds: 20,
    ...fleet,
  });
  const stats = await running.done;
  return { oap: fake, fleet: stats, books: compareBooks(running.entriesByEnvoy(), fake.books()) };
}

function assertComplete({ oap, fleet, books }: Outcome): void {
  const seen = oap.stats();
  assert.deepEqual(books.examples, []);
  assert.equal(books.missingEntries, 0);
  assert.equal(books.doubledEntries, 0);
  assert.equal(seen.acceptedEntries, fleet.entries);
  assert.equal(seen.acceptedMessages, fleet.messages);
  assert.equal(seen.acceptedBytes, fleet.bytes + fleet.identifierBytes);
  assert.equal(seen.identifierBytes, fleet.identifierBytes);
  assert.equal(seen.misplacedEntries + seen.foreignEntries + seen.malformedMessages, 0);
  assert.equal(seen.messagesWithoutIdentity, 0);
}

test('what a fleet sends, an OAP accepts, entry by entry', async (t) => {
  const outcome = await run(t, { zipfSkew: 1 });
  assert.ok(outcome.fleet.entries >= ENTRIES);
  assertComplete(outcome);
  assert.equal(outcome.oap.stats().acceptedCalls, 5);
});

test('first messages larger than the HTTP/2 window arrive whole', async (t) => {
  const outcome = await run(t, { identifierBytes: 64 * 1024, streamsPerConnection: 2, tcpRatio: 0.3 });
  assertComplete(outcome);
  assert.ok(outcome.fleet.identifierBytes > 5 * 60 * 1024);
});

test('v2 Envoys and several connections each are no different', async (t) => {
  assertComplete(await run(t, { version: 'v2', connectionsPerEnvoy: 2 }));
});

test('Envoys that reconnect at a message boundary lose nothing', async (t) => {
  const outcome = await run(t, { reconnectEveryMs: 60, entriesPerSecond: 5000 });
  assert.ok(outcome.fleet.reconnects > 0);
  assertComplete(outcome);
});

test('an idle fleet sends one first message a stream', async (t) => {
  const fake = await startFakeOap();
  t.after(() => fake.close());
  const fleet = startFleet({
    port: fake.port,
    envoys: 20,
    streamsPerConnection: 2,
    entriesPerSecond: 0,
    greet: true,
    maxEntries: 40,
    connectOverMs: 20,
  });
  const stats = await fleet.done;
  assert.equal(stats.firstMessages, 40);
  assert.equal(fake.stats().acceptedCalls, 40);
});

test('calls that an OAP refuses are not in its books', async (t) => {
  const { oap, fleet, books } = await run(t, {}, { failRatio: 1, failStatus: 13 });
  const seen = oap.stats();
  assert.equal(seen.failedCalls, 5);
  assert.equal(seen.entries, fleet.entries);
  assert.equal(seen.acceptedEntries, 0);
  assert.equal(books.missingEntries, fleet.entries);
});

test('an OAP that stalls makes the source hold back, then shed', async (t) => {
  const backlog = 64 * 1024;
  const { oap, fleet } = await run(
    t,
    { envoys: 1, maxBacklogBytes: backlog, seconds: 1, maxEntries: Infinity, stopTimeoutMs: 100 },
    { stall: true },
  );
  assert.ok(fleet.shedEntries > 0);
  assert.ok(oap.stats().bytes < fleet.bytes + fleet.identifierBytes);
  assert.equal(oap.stats().acceptedCalls, 0);
});

test('a token that is missing is UNAUTHENTICATED at once', async (t) => {
  const { oap } = await run(t, { entriesPerSecond: 1000, maxEntries: 100 }, { token: 'secret' });
  assert.equal(oap.stats().acceptedCalls, 0);
  assert.ok(oap.stats().failedCalls > 0);
});

test('a killed OAP comes back on its port with its books', async (t) => {
  const fake = await startFakeOap();
  // A fleet without connections does not keep the process alive; this one's port does.
  const other = await startFakeOap();
  t.after(() => Promise.all([fake.close(), other.close()]));
  const { port } = fake;
  const fleet = startFleet({ port, envoys: 2, entriesPerSecond: 2000, connectOverMs: 0, maxEntries: 200 });
  await fleet.done;
  const before = fake.stats().acceptedEntries;
  await fake.kill();
  const refused = startFleet({ port, envoys: 1, seconds: 0.1, connectOverMs: 0 });
  assert.ok((await refused.done).connectFailures > 0);
  await fake.revive();
  assert.equal(fake.port, port);
  const again = startFleet({ port, envoys: 2, firstEnvoy: 10, entriesPerSecond: 2000, maxEntries: 200 });
  await again.done;
  assert.ok(fake.stats().acceptedEntries >= before + 200);
});
