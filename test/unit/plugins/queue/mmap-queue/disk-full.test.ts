import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../../../../src/base/index.js';
import { QUEUE_CODE } from '../../../../../src/core/queue.js';
import { closeOn, DIRECTORY, QueueLife } from '../../../../support/disk-queue.js';
import { FakeDisk } from '../../../../support/fake-disk.js';

const FLUSH_PERIOD_MS = 1000;

function newDisk(): FakeDisk {
  return new FakeDisk(createSeededRandom(3));
}

describe('a disk queue on a full disk', () => {
  it('refuses, lives, and takes again when there is space, with everything it had accepted', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { fsync: 'always' });
    life.offerMany(0, 5);
    disk.freeBytes = 30;
    assert.equal(life.offer(5), QUEUE_CODE.full);
    assert.equal(life.offer(6), QUEUE_CODE.full);
    disk.freeBytes = Infinity;
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    assert.equal(life.changes, 1, 'the pipe is told');
    life.offerMany(7, 12);
    assert.deepEqual(life.drain(), [0, 1, 2, 3, 4, 7, 8, 9, 10, 11]);
    await closeOn(disk, life);
    assert.equal(life.budget.usedBytes, 0);
  });

  it('gives space back by what is delivered, and goes on by that', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { fsync: 'always' });
    life.offerMany(0, 30);
    disk.freeBytes = 0;
    assert.equal(life.offer(30), QUEUE_CODE.full);
    for (let count = 0; count < 15; count++) life.settle(life.queue.take(0)!);
    await settleTurns(disk);
    assert.equal(life.offer(31), QUEUE_CODE.ok);
    assert.deepEqual(life.drain().at(-1), 31);
  });

  for (const fsync of ['always', 'interval'] as const) {
    it(`gets out of a disk that only its own open file fills, ${fsync}`, async () => {
      const disk = newDisk();
      disk.freeBytes = 3000;
      const life = await QueueLife.open(disk, { fsync, segmentBytes: 100_000 });
      let label = 0;
      for (let round = 0; round < 5; round++) {
        // The first event after the last was settled may find the disk full still; it makes the room.
        if (life.offer(label) === QUEUE_CODE.full) await settleTurns(disk);
        else label++;
        const first = round === 0 ? 0 : label - life.queue.pendingEvents(0);
        while (label < first + 60 && life.offer(label) === QUEUE_CODE.ok) label++;
        life.clock.advance(FLUSH_PERIOD_MS + 1);
        assert.ok(label > first, `round ${round}`);
        assert.deepEqual(
          life.drain(),
          Array.from({ length: label - first }, (_, index) => first + index),
        );
        await settleTurns(disk);
        life.clock.advance(FLUSH_PERIOD_MS + 1);
      }
      await closeOn(disk, life);
      assert.deepEqual(disk.paths(), []);
    });
  }

  it('tries once in a flush period, not at every event', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { fsync: 'always' });
    life.offerMany(0, 2);
    disk.freeBytes = 0;
    for (let label = 2; label < 100; label++) assert.equal(life.offer(label), QUEUE_CODE.full);
    assert.equal(life.metrics.read('disk_queue_failures_count', { pipe: 'p', operation: 'write' }), 1);
  });

  it('keeps what it has in its buffer until it can be written', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { segmentBytes: 100_000 });
    life.offerMany(0, 10);
    disk.freeBytes = 40;
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    disk.freeBytes = Infinity;
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    disk.killProcess();
    const next = await QueueLife.open(disk);
    assert.deepEqual(next.drain(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('reads what only its buffer has', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk, { segmentBytes: 100_000, memoryBytes: 1 });
    life.offerMany(0, 10);
    disk.freeBytes = 0;
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    assert.deepEqual(life.drain(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('says at the end what could not be written', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk);
    life.offerMany(0, 3);
    disk.freeBytes = 0;
    await closeOn(disk, life);
    const line = life.log.lines.find(({ message }) => message.startsWith('events could not be written'));
    assert.equal(line?.fields.events, '3');
  });

  it('does not start without space for its lock, and says where', async () => {
    const disk = newDisk();
    disk.freeBytes = 0;
    await assert.rejects(QueueLife.open(disk), {
      code: 'SAT_Q_DIRECTORY',
      message: new RegExp(`${DIRECTORY}.*ENOSPC`),
    });
  });

  it('goes on when a sync fails, and calls nothing durable until one works', async () => {
    const disk = newDisk();
    const life = await QueueLife.open(disk);
    life.offerMany(0, 3);
    disk.faults.set('sync', ['EIO']);
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    await settleTurns(disk);
    assert.deepEqual(life.durable, []);
    life.clock.advance(FLUSH_PERIOD_MS + 1);
    await settleTurns(disk);
    assert.deepEqual(life.durable, [3]);
  });
});

async function settleTurns(disk: FakeDisk): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await disk.finishSyncs();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
