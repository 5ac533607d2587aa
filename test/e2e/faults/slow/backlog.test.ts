import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBooks, startFakeOap } from '../../../../src/lab/index.js';
import { eventually } from '../../../support/eventually.js';
import { FaultRun, loggedBooks } from '../../../support/fault-run.js';
import { readMemory } from '../../../support/memory.js';
import { makeTemporaryFolder } from '../../../support/temporary.js';

const MIB = 1024 * 1024;
const BACKLOG_MIB = Number(process.env.BACKLOG_MIB ?? 2048);
/** Large entries, so that the backlog is soon there: 100 MB a second. */
const ENTRY_BYTES = 10_000;
const RATE = 10_000;
const BUDGET_MIB = 64;
const MOST_RSS_MIB = 200;

test(`a start on ${BACKLOG_MIB} MiB of backlog takes little memory, and so does its delivery`, async (t) => {
  const oap = await startFakeOap();
  t.after(() => oap.close());
  await oap.kill();
  const config = {
    oaps: [oap.address],
    queue: 'mmap-queue',
    queueOptions: { directory: makeTemporaryFolder(), capacity: '8GiB', fsync: 'never' },
    memoryLimit: `${BUDGET_MIB}MiB`,
  };
  const before = await FaultRun.start(t, {
    ...config,
    fleet: { entriesPerSecond: RATE, entryBytes: ENTRY_BYTES, seconds: 600 },
    args: ['-t', '2'],
  });
  await before.sendMore(Math.ceil((BACKLOG_MIB * MIB) / ENTRY_BYTES), 300_000);
  await before.fleet.stop();
  assert.deepEqual(await before.satellite.child.stop('SIGTERM', 15_000), { code: 0, signal: null });

  const startMs = performance.now();
  const after = await FaultRun.start(t, { ...config, fleet: { entriesPerSecond: 0 } });
  const readyMs = Math.round(performance.now() - startMs);
  const { held } = await after.books();
  let mostMib = readMemory(after.satellite.child.pid).rssMib;
  t.diagnostic(`ready after ${readyMs} ms with ${held} entries held, RSS ${mostMib} MiB`);
  assert.ok(mostMib < MOST_RSS_MIB, `${mostMib} MiB`);

  await oap.revive();
  await eventually({ until: 'all is delivered', withinMs: 300_000 }, async () => {
    mostMib = Math.max(mostMib, readMemory(after.satellite.child.pid).rssMib);
    return (await after.books()).held === 0 ? true : undefined;
  });
  t.diagnostic(`delivered after ${Math.round(performance.now() - startMs - readyMs)} ms, RSS at most ${mostMib} MiB`);
  const comparison = compareBooks(before.fleet.entriesByEnvoy(), oap.books());
  assert.equal(held, loggedBooks(before.satellite).held);
  assert.deepEqual([comparison.missingEntries, comparison.doubledEntries], [0, 0]);
});
