import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom, SimulatedClock } from '../../../../../src/base/index.js';
import { nodeFiles } from '../../../../../src/plugins/queue/mmap-queue/fs.js';
import { closeOn, DIRECTORY, QueueLife } from '../../../../support/disk-queue.js';
import { FakeDisk } from '../../../../support/fake-disk.js';

/** A disk whose directory is locked by process 7 of host `a`, started at `early`. */
async function lockedDisk(clock: SimulatedClock): Promise<FakeDisk> {
  const disk = new FakeDisk(createSeededRandom(1));
  disk.processes = { pid: 7, host: 'a', startOf: () => 'early' };
  await QueueLife.open(disk, {}, clock);
  return disk;
}

describe('the lock of a disk queue', () => {
  it('keeps a second process out while the first lives', async () => {
    const clock = new SimulatedClock(1000);
    const disk = await lockedDisk(clock);
    disk.processes = { pid: 8, host: 'a', startOf: () => 'early' };
    const opening = QueueLife.open(disk, {}, clock);
    await assert.rejects(opening, { code: 'SAT_Q_LOCKED', message: /process 7 on host a/ });
    assert.match(String(disk.readWhole(`${DIRECTORY}/lock`)), /"pid":7/);
  });

  it('is taken over when its process is gone, also when another has its number', async () => {
    for (const start of [null, 'late']) {
      const clock = new SimulatedClock(1000);
      const disk = await lockedDisk(clock);
      disk.processes = { pid: 8, host: 'a', startOf: (pid) => (pid === 8 ? 'late' : start) };
      await QueueLife.open(disk, {}, clock);
    }
  });

  it('is taken over by the same process number, as containers start again with it', async () => {
    const clock = new SimulatedClock(1000);
    const disk = await lockedDisk(clock);
    await QueueLife.open(disk, {}, clock);
  });

  it('of another host holds as long as that shows life', async () => {
    const clock = new SimulatedClock(1000);
    const disk = await lockedDisk(clock);
    clock.advance(300_000);
    disk.processes = { pid: 7, host: 'b', startOf: () => null };
    await assert.rejects(QueueLife.open(disk, {}, clock), { code: 'SAT_Q_LOCKED' });
    const later = new SimulatedClock(0, clock.wallNow() + 31_000);
    await QueueLife.open(disk, {}, later);
  });

  it('goes with the queue, and an empty one is nobody’s', async () => {
    const clock = new SimulatedClock(1000);
    const disk = new FakeDisk(createSeededRandom(1));
    const life = await QueueLife.open(disk, {}, clock);
    await closeOn(disk, life);
    assert.deepEqual(disk.paths(), []);
    disk.writeWhole(`${DIRECTORY}/lock`, Buffer.alloc(0));
    await QueueLife.open(disk, {}, clock);
  });

  it('tells a living process from one that is gone', () => {
    const { startOf, pid } = nodeFiles.processes;
    assert.notEqual(startOf(pid), null);
    assert.equal(startOf(0x3fff_fff0), null);
  });
});
