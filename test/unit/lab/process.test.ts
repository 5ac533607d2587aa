/** The lab's parts in processes of their own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBooks, RemoteFleet, RemoteOap } from '../../../src/lab/index.js';

const ENTRIES = 500;

test('a fleet and an OAP in processes of their own keep the same books', async (t) => {
  const oap = await RemoteOap.start({});
  t.after(() => oap.close());
  const fleet = await RemoteFleet.start({ port: oap.port, envoys: 3, entriesPerSecond: 10_000, maxEntries: ENTRIES });
  t.after(() => fleet.close());
  while ((await fleet.stats()).entries < ENTRIES);
  const sent = await fleet.stop();
  assert.ok(sent.entries >= ENTRIES);
  const books = compareBooks(await fleet.entriesByEnvoy(), await oap.books());
  assert.deepEqual([books.sentEntries, books.missingEntries, books.doubledEntries], [sent.entries, 0, 0]);
  assert.notEqual(oap.pid, process.pid);
  assert.notEqual(fleet.pid, oap.pid);
});

test('an error in a worker reaches its caller, and so does its end', async () => {
  const oap = await RemoteOap.start({});
  await assert.rejects(RemoteOap.start({ port: oap.port }), /in use|EADDRINUSE|SAT_NET_LISTEN/);
  await oap.close();
  await assert.rejects(oap.stats(), /has ended/);
});
