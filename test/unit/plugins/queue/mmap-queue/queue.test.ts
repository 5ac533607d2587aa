import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom, SimulatedClock } from '../../../../../src/base/index.js';
import { Event, Identity } from '../../../../../src/core/event.js';
import { QUEUE_CODE } from '../../../../../src/core/queue.js';
import { inspectQueue } from '../../../../../src/plugins/queue/mmap-queue/inspect.js';
import { bytesOf, messageOf } from '../../../../support/als.js';
import { closeOn, DIRECTORY, QueueLife } from '../../../../support/disk-queue.js';
import { FakeDisk } from '../../../../support/fake-disk.js';

function newDisk(): FakeDisk {
  return new FakeDisk(createSeededRandom(2));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe('the disk queue', () => {
  it('hands out the very events that are still in memory', async () => {
    const life = await QueueLife.open(newDisk());
    const event = life.event(1);
    assert.equal(life.queue.offer(event, 0), QUEUE_CODE.ok);
    assert.equal(life.queue.peek(0), event);
    assert.equal(life.queue.take(0), event);
  });

  it('charges only what is in memory, and reads the rest in its turn', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { memoryBytes: 3000 });
    life.offerMany(0, 500);
    const most = life.budget.usedBytes;
    assert.ok(most < 3000 + 640 * 1024 + 1000, `${most} bytes`);
    assert.deepEqual(life.drain(), range(0, 500));
    assert.ok(life.budget.peakBytes < most + 3000);
    assert.ok(disk.mostOpenFiles <= 2, `${disk.mostOpenFiles} open files`);
  });

  it('lets new events go first when told to, and the backlog from its newest file on', async () => {
    const disk = newDisk();
    const before = await QueueLife.open(disk);
    before.offerMany(0, 12);
    await closeOn(disk, before);
    const life = await QueueLife.open(disk, { order: 'newest_first' });
    life.offerMany(100, 102);
    const labels = life.drain();
    assert.deepEqual(labels.slice(0, 2), [100, 101]);
    assert.deepEqual(
      [...labels].sort((a, b) => a - b),
      [...range(0, 12), 100, 101],
    );
    assert.ok(labels.indexOf(11) < labels.indexOf(0));
  });

  it('takes an event larger than a segment, and refuses one larger than its capacity for good', async () => {
    const life = await QueueLife.open(newDisk(), { capacityBytes: 400_000 });
    assert.equal(life.offer(1, 0, 300_000), QUEUE_CODE.ok);
    assert.equal(life.offer(2, 0, 300_000), QUEUE_CODE.full);
    assert.equal(life.offer(3, 0, 500_000), QUEUE_CODE.tooLarge);
    assert.deepEqual(life.drain(), [1]);
    const small = await QueueLife.open(newDisk(), { maxEventBytes: 200 });
    assert.equal(small.offer(4, 0, 300), QUEUE_CODE.tooLarge);
  });

  it('reads the segment that is being written, its buffer included', async () => {
    const life = await QueueLife.open(newDisk(), { segmentBytes: 5_000_000, capacityBytes: 5_000_000, memoryBytes: 1 });
    for (let label = 0; label < 12; label++) assert.equal(life.offer(label, 0, 300_000), QUEUE_CODE.ok);
    for (let label = 12; label < 40; label++) assert.equal(life.offer(label, 0, 3000), QUEUE_CODE.ok);
    assert.deepEqual(life.drain(), range(0, 40));
  });

  it('deletes a segment when its last event is settled, in whatever order', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk);
    life.offerMany(0, 12);
    const taken = range(0, 12).map(() => life.queue.take(0)!);
    const files = disk.paths().length;
    for (const event of taken.toReversed()) life.settle(event);
    assert.ok(disk.paths().length < files);
    await closeOn(disk, life);
    assert.deepEqual(disk.paths(), []);
  });

  it('sends nothing again that was settled before a clean stop', async () => {
    const disk = newDisk();
    const before = await QueueLife.open(disk, { segmentBytes: 100_000 });
    before.offerMany(0, 10);
    const taken = range(0, 6).map(() => before.queue.take(0)!);
    for (const index of [4, 1, 0]) before.settle(taken[index]!);
    for (const index of [2, 3, 5]) before.release(taken[index]!);
    await closeOn(disk, before);
    const after = await QueueLife.open(disk);
    assert.equal(after.queue.found(0).events, 7);
    assert.deepEqual(after.drain(), [2, 3, 5, 6, 7, 8, 9]);
  });

  it('says which events the disk has, many with one sync', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { fsync: 'always', segmentBytes: 100_000 });
    life.offerMany(0, 1);
    const before = disk.operations;
    life.offerMany(1, 50);
    assert.deepEqual(life.durable, []);
    for (let turn = 0; turn < 6; turn++) {
      await disk.finishSyncs();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(life.durable, [50]);
    assert.ok(disk.operations - before < 49 + 6, 'syncs are shared');
  });

  it('tells how long writes hold the process, and how long syncs take', async () => {
    const clock = new SimulatedClock(1000);
    class SlowDisk extends FakeDisk {
      override write(handle: number, bytes: Buffer, position: number): void {
        super.write(handle, bytes, position);
        clock.advance(40);
      }
    }
    const disk = new SlowDisk(createSeededRandom(1));
    const life = await QueueLife.open(disk, { fsync: 'always' }, clock);
    life.offerMany(0, 1);
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(250);
    for (let turn = 0; turn < 6; turn++) {
      await disk.finishSyncs();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seconds = (operation: string): readonly number[] =>
      life.metrics.observations('disk_queue_operation_seconds', { pipe: 'p', operation });
    assert.deepEqual([seconds('write'), seconds('sync')], [[0.04], [0.25]]);
  });

  it('writes after so many events, before the period has passed', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { flushEvents: 5, segmentBytes: 100_000 });
    life.offerMany(0, 7);
    disk.killProcess();
    assert.deepEqual((await QueueLife.open(disk)).drain(), range(0, 5));
  });

  it('calls no event durable before it has answered for it', async () => {
    for (const fsync of ['always', 'interval', 'never'] as const) {
      const disk = newDisk();
      const life = await QueueLife.open(disk, { fsync, flushEvents: 1 });
      life.offerMany(0, 2);
      assert.deepEqual(life.durable, []);
      for (let turn = 0; turn < 6; turn++) {
        await disk.finishSyncs();
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.deepEqual(life.durable, [2], fsync);
    }
  });

  it('never syncs when told so', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { fsync: 'never' });
    life.offerMany(0, 3);
    life.clock.advance(1001);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(life.durable, [3]);
    const operations = disk.operations;
    life.clock.advance(5000);
    assert.equal(disk.operations, operations);
  });

  it('takes nothing once it is closed', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk);
    await closeOn(disk, life);
    assert.equal(life.offer(1), QUEUE_CODE.closed);
    assert.equal(life.queue.take(0), undefined);
    await life.queue.close();
  });

  it('shows what it holds, while it runs and after', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { partitions: 2, fsync: 'always' });
    life.offerMany(0, 10, 0);
    life.offerMany(10, 12, 1);
    life.settle(life.queue.take(0)!);
    life.clock.advance(1001);
    const before = disk.paths();
    const operations = disk.operations;
    for (const directory of [DIRECTORY, '/queues']) {
      const [first, second] = [...inspectQueue(directory, disk)].sort((a, b) => b.pendingEvents - a.pendingEvents);
      assert.deepEqual([first?.pendingEvents, first?.pendingEntries, first?.damagedRegions], [9, 27, 0]);
      assert.deepEqual([second?.pendingEvents, second?.dataType, second?.segments], [2, 'als-v3', 1]);
      assert.equal(second?.oldestWallMs, 1_700_000_000_000);
      assert.equal(second.bytes, life.queue.size(1));
    }
    assert.deepEqual([disk.paths(), disk.operations], [before, operations], 'nothing was touched');
    assert.deepEqual(inspectQueue('/nowhere', disk), []);
  });

  it('keeps an event without an identity, and one with an empty identity, as they are', async () => {
    const disk = newDisk();
    const before = await QueueLife.open(disk);
    for (const identity of [null, new Identity(new Uint8Array(0), before.budget)]) {
      const event = new Event('als-v3', 1, identity, 0xffff_ffff, before.clock.now());
      event.add(messageOf(Uint8Array.of(1, 2, 3), [1]), 5);
      assert.equal(before.queue.offer(event, 0), QUEUE_CODE.ok);
    }
    await closeOn(disk, before);
    const after = await QueueLife.open(disk);
    const [bare, named] = [after.queue.take(0)!, after.queue.take(0)!];
    assert.deepEqual([bare.identity, named.identity?.bytes.length], [null, 0]);
    for (const event of [bare, named]) {
      assert.deepEqual([event.method, event.keyHash, event.entries, event.wireBytes], [1, 0xffff_ffff, 5, 8]);
      assert.deepEqual(event.messages.map(bytesOf), [Buffer.from([1, 2, 3])]);
    }
  });

  it('shows the size of its files while it is open', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { partitions: 2 });
    life.offerMany(0, 20, 0);
    life.offerMany(20, 21, 1);
    const read = (name: string): number | undefined => life.metrics.read(name, { pipe: 'p' });
    assert.equal(read('disk_queue_bytes'), life.queue.size(0) + life.queue.size(1));
    assert.ok(read('disk_queue_segments')! > 2);
    await closeOn(disk, life);
    assert.equal(read('disk_queue_bytes'), undefined);
  });
});
