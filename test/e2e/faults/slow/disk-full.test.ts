import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { startFakeOap } from '../../../../src/lab/index.js';
import { eventually } from '../../../support/eventually.js';
import { complaintsOf, FaultRun } from '../../../support/fault-run.js';
import { makeTemporaryFolder } from '../../../support/temporary.js';

/** One second of the load. */
const DISK_MIB = 8;
const RATE = 6_000;

/** Mounts a file system of its own; null where that is not allowed. */
function mountSmallDisk(t: TestContext): string | null {
  const folder = makeTemporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  t.after(() => execFileSync('umount', ['-l', folder]));
  return folder;
}

test('a disk that runs full costs what does not fit, counted, and the process lives; with room it goes on', async (t) => {
  const directory = mountSmallDisk(t);
  if (directory === null) {
    t.skip('a small tmpfs cannot be mounted here: that takes root');
    return;
  }
  const oap = await startFakeOap();
  t.after(() => oap.close());
  const run = await FaultRun.start(t, {
    oaps: [oap.address],
    fleet: { entriesPerSecond: RATE },
    queue: 'mmap-queue',
    queueOptions: { directory, capacity: '1GiB' },
  });
  await run.sendMore(RATE);
  await oap.kill();
  await run.sendMore(5 * RATE);
  const full = await run.books();
  assert.ok(full.dropped > 0 && full.held > 0);
  assert.ok((await run.metric('disk_queue_failures_count')) > 0);
  assert.match(complaintsOf(run.satellite).join('\n'), /ENOSPC/);

  await oap.revive();
  await eventually({ until: 'what fitted is delivered', withinMs: 30_000 }, async () =>
    (await run.books()).held < RATE ? true : undefined,
  );
  const { dropped } = await run.books();
  await run.sendMore(2 * RATE);
  const { books } = await run.settle(() => oap.books());
  assert.equal(books.dropped, dropped);
  assert.ok(complaintsOf(run.satellite).length <= 20, complaintsOf(run.satellite).join('\n'));
});
