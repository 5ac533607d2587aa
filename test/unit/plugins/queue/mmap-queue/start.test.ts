import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createSeededRandom, SimulatedClock } from '../../../../../src/base/index.js';
import { nodeFiles } from '../../../../../src/plugins/queue/mmap-queue/fs.js';
import { closeOn, DIRECTORY, QueueLife } from '../../../../support/disk-queue.js';
import { FakeDisk } from '../../../../support/fake-disk.js';
import { makeTemporaryFolder } from '../../../../support/temporary.js';

const HOURS_MS = 5 * 3_600_000;

describe('the start of a disk queue', () => {
  it('comes back to what was there, on real files', async () => {
    const directory = join(makeTemporaryFolder(), 'deep', 'p');
    const before = await QueueLife.open(nodeFiles, { directory, partitions: 2 });
    before.offerMany(0, 20, 0);
    before.offerMany(20, 30, 1);
    before.settle(before.queue.take(0)!);
    await before.queue.close();
    const after = await QueueLife.open(nodeFiles, { directory, partitions: 2 });
    assert.deepEqual([after.queue.found(0).events, after.queue.found(1).entries], [19, 30]);
    assert.deepEqual(after.drain(0).length, 19);
    assert.deepEqual(after.drain(1).length, 10);
    await after.queue.close();
    assert.equal(after.budget.usedBytes, 0);
  });

  it('reads no record of what is sealed', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk, { segmentBytes: 20_000, capacityBytes: 10_000_000 });
    for (let label = 0; label < 100; label++) before.offer(label, 0, 4000);
    await closeOn(disk, before);
    disk.bytesRead = 0;
    const after = await QueueLife.open(disk, { segmentBytes: 20_000, capacityBytes: 10_000_000 });
    assert.equal(after.queue.pendingEvents(0), 100);
    assert.ok(disk.bytesRead < 100 * 4000 * 0.05, `${disk.bytesRead} bytes read`);
    assert.equal(after.budget.usedBytes, 0);
  });

  it('hands the partitions that are no more to those there are', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk, { partitions: 5 });
    for (let partition = 0; partition < 5; partition++) before.offer(partition, partition);
    await closeOn(disk, before);
    const after = await QueueLife.open(disk, { partitions: 2 });
    const drained = [0, 1].map((partition) => after.drain(partition).sort());
    assert.deepEqual(drained, [
      [0, 2, 4],
      [1, 3],
    ]);
    await closeOn(disk, after);
    assert.deepEqual(
      disk
        .list(DIRECTORY)!
        .flatMap(({ name, isDirectory }) => (isDirectory ? [name] : []))
        .sort(),
      ['partition-0', 'partition-1'],
    );
  });

  it('drains a backlog that is larger than its capacity, then takes again', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk);
    before.offerMany(0, 100);
    await closeOn(disk, before);
    const after = await QueueLife.open(disk, { capacityBytes: 2000 });
    assert.equal(after.offer(100), 1);
    assert.equal(after.drain().length, 100);
    assert.equal(after.offer(101), 0);
  });

  it('drops what is too old without reading it', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const clock = new SimulatedClock(1000);
    const before = await QueueLife.open(disk, {}, clock);
    before.offerMany(0, 20);
    clock.advance(60_000);
    before.offerMany(20, 30);
    await closeOn(disk, before);
    const after = await QueueLife.open(disk, { maxAgeMs: 30_000 }, clock);
    const labels = after.drain();
    const expired = after.lost.reduce((sum, { totals }) => sum + totals.events, 0);
    assert.ok(expired >= 15 && after.lost.every(({ reason }) => reason === 'expired'));
    assert.equal(labels.length + expired, 30);
    assert.deepEqual(labels.slice(-10), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  });

  it('lets the age of an event survive, also when the clock went back', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk, {}, new SimulatedClock(1000, 1_700_000_000_000));
    before.offerMany(0, 1);
    await closeOn(disk, before);
    const later = await QueueLife.open(disk, {}, new SimulatedClock(50, 1_700_000_005_000));
    assert.equal(later.queue.peek(0)!.receivedMs, 50 - 5000);
    await closeOn(disk, later);
    const back = await QueueLife.open(disk, {}, new SimulatedClock(50, 1_600_000_000_000));
    assert.equal(back.queue.peek(0)!.receivedMs, 50);
  });

  for (const stepMs of [HOURS_MS, -HOURS_MS]) {
    it(`keeps to the true ages when the wall clock is set by ${stepMs} ms`, async () => {
      const disk = new FakeDisk(createSeededRandom(1));
      const clock = new SimulatedClock(1000);
      const life = await QueueLife.open(disk, { maxAgeMs: 60_000 }, clock);
      // More than stays in memory, in several files.
      life.offerMany(0, 50);
      clock.advance(30_000);
      clock.stepWall(stepMs);
      life.offerMany(50, 100);
      const taken = life.drain();
      assert.deepEqual(
        taken.slice(0, 100),
        Array.from({ length: 100 }, (_, label) => label),
      );
      life.offerMany(100, 150);
      clock.advance(90_000);
      life.offerMany(150, 160);
      const late = life.drain();
      assert.ok(life.lost.length > 0 && life.lost.every(({ reason }) => reason === 'expired'));
      assert.deepEqual(late.slice(-10), [150, 151, 152, 153, 154, 155, 156, 157, 158, 159]);
    });
  }

  for (const [name, what] of [
    ['meta.dat', /original Satellite/],
    ['17_segment.dat', /original Satellite/],
    ['notes.txt', /not a file of a disk queue/],
  ] as const) {
    it(`refuses a directory with ${name}, and leaves it as it is`, async () => {
      for (const place of [[], ['p'], ['p', 'partition-0']]) {
        if (name === 'notes.txt' && place.length === 0) continue;
        const directory = makeTemporaryFolder();
        const folder = join(directory, ...place);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, name), 'precious');
        const opening = QueueLife.open(nodeFiles, { directory: join(directory, 'p') });
        await assert.rejects(opening, { code: 'SAT_Q_FOREIGN', message: what });
        assert.equal(readFileSync(join(folder, name), 'utf8'), 'precious');
      }
    });
  }

  it('refuses files of a later version', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk);
    before.offerMany(0, 1);
    await closeOn(disk, before);
    disk.edit(disk.paths()[0]!, (bytes) => {
      bytes[7] = 0x32;
      return bytes;
    });
    await assert.rejects(QueueLife.open(disk), { code: 'SAT_Q_FOREIGN', message: /later version/ });
  });

  it('names a directory that cannot be one, is read-only, or not ours to write', async () => {
    const file = join(makeTemporaryFolder(), 'file');
    writeFileSync(file, '');
    await assert.rejects(QueueLife.open(nodeFiles, { directory: join(file, 'p') }), { code: 'SAT_Q_DIRECTORY' });
    // Below /proc node's own recursive mkdir never ends.
    await assert.rejects(QueueLife.open(nodeFiles, { directory: '/proc/none/p' }), { code: 'SAT_Q_DIRECTORY' });
    const disk = new FakeDisk(createSeededRandom(1));
    for (const code of ['EROFS', 'EACCES']) {
      disk.faults.set('makeDirectory', [code]);
      await assert.rejects(QueueLife.open(disk), { code: 'SAT_Q_DIRECTORY', message: new RegExp(code) });
    }
  });
});
