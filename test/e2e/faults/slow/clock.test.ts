/** The wall clock is set while a satellite runs, or time passes while it stands still: nothing is lost, dropped or stuck. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeOap, type FakeOap } from '../../../../src/lab/index.js';
import { FaultRun } from '../../../support/fault-run.js';
import { makeTemporaryFolder, writeTemporary } from '../../../support/temporary.js';

const HOUR_MS = 3_600_000;
/** Loaded before the program: SIGUSR2 sets its wall clock five hours forward, the second time ten hours back, and so on. */
const STEERED_CLOCK = `
const readWall = Date.now;
let offsetMs = 0;
let stepMs = ${5 * HOUR_MS};
Date.now = () => readWall() + offsetMs;
process.on('SIGUSR2', () => {
  offsetMs += stepMs;
  stepMs *= -2;
  console.error('the wall clock was set by ' + offsetMs);
});
`;
/** Longer than every timeout of the test. */
const STANDSTILL_MS = 10_000;
/** Far less than a step of the clock, far more than the test takes. */
const MAX_AGE_S = 600;

async function startOaps(t: TestContext): Promise<FakeOap[]> {
  const oaps = await Promise.all([startFakeOap(), startFakeOap()]);
  t.after(() => Promise.all(oaps.map((oap) => oap.close())));
  return oaps;
}

test('the wall clock jumps five hours forward, then ten back, under load and with a backlog: nothing expires', async (t) => {
  const oaps = await startOaps(t);
  const run = await FaultRun.start(t, {
    oaps: oaps.map((oap) => oap.address),
    env: { SATELLITE_NODE_FLAGS: `--import=${writeTemporary('steered-clock.mjs', STEERED_CLOCK)}` },
    fleet: { entriesPerSecond: 6_000 },
    queue: 'mmap-queue',
    // Little is kept in memory: the backlog is read back from its files.
    queueOptions: { directory: makeTemporaryFolder(), max_age: MAX_AGE_S, segment_size: '1MiB' },
    senderOptions: { retry: `{ max_elapsed: ${MAX_AGE_S}s }` },
    memoryLimit: '32MiB',
  });
  await run.sendMore(3_000);
  for (let step = 0; step < 2; step++) {
    await Promise.all(oaps.map((oap) => oap.kill()));
    await run.sendMore(6_000);
    run.satellite.child.signal('SIGUSR2');
    await run.sendMore(6_000);
    assert.ok((await run.books()).held > 0);
    assert.ok((await run.metric('queue_oldest_age_seconds')) < MAX_AGE_S);
    await Promise.all(oaps.map((oap) => oap.revive()));
    await run.sendMore(6_000);
  }
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
  assert.equal(run.satellite.child.output.match(/the wall clock was set/g)?.length, 2);
});

test('a satellite that stood still for longer than its timeouts keeps its connections, and nothing is lost', async (t) => {
  const oaps = await startOaps(t);
  const run = await FaultRun.start(t, {
    oaps: oaps.map((oap) => oap.address),
    fleet: { entriesPerSecond: 3_000 },
    serverOptions: { keepalive_time: '3s', keepalive_timeout: '3s' },
    clientOptions: { keepalive_time: '3s', keepalive_timeout: '3s', timeout: '{ unary: "3s", stream: "3s" }' },
    senderOptions: { stall_timeout: '3s' },
  });
  await run.sendMore(3_000);
  run.satellite.child.signal('SIGSTOP');
  await sleep(STANDSTILL_MS);
  run.satellite.child.signal('SIGCONT');
  await run.sendMore(6_000);
  // Which also holds that the fleet lost neither connection nor stream.
  const { books, comparison } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
  assert.equal(await run.metric('satellite_endpoint_connection_failures_total', {}), 0);
  assert.equal(await run.metric('satellite_endpoint_ejections_total', {}), 0);
});
