import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../../../../src/base/index.js';
import { HEADER_BYTES, SEAL_BYTES } from '../../../../../src/plugins/queue/mmap-queue/layout.js';
import { RECORD_HEADER_BYTES } from '../../../../../src/plugins/queue/mmap-queue/record.js';
import { closeOn, DIRECTORY, QueueLife } from '../../../../support/disk-queue.js';
import { FakeDisk } from '../../../../support/fake-disk.js';

/** Bytes of a record of `QueueLife.offer`: its frame, two messages in the table, identity and body. */
const RECORD_BYTES = RECORD_HEADER_BYTES + 28 + 2 * 8 + 4 + 20;
/** Events in one segment of 600 bytes. */
const PER_SEGMENT = Math.floor((600 - HEADER_BYTES - SEAL_BYTES) / RECORD_BYTES);

function pathOf(id: number, kind = 'segment'): string {
  return `${DIRECTORY}/partition-0/${String(id).padStart(12, '0')}.${kind}`;
}

/** A disk with two sealed segments, as a clean stop leaves it. */
async function diskWithTwoSegments(): Promise<FakeDisk> {
  const disk = new FakeDisk(createSeededRandom(1));
  const life = await QueueLife.open(disk);
  life.offerMany(0, 2 * PER_SEGMENT);
  await closeOn(disk, life);
  assert.deepEqual(disk.paths(), [pathOf(1), pathOf(2)]);
  return disk;
}

/** A disk whose process died with one segment open. */
async function diskWithOpenSegment(events: number): Promise<FakeDisk> {
  const disk = new FakeDisk(createSeededRandom(1));
  const life = await QueueLife.open(disk, { fsync: 'always' });
  life.offerMany(0, events);
  disk.killProcess();
  return disk;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function recordAt(index: number): number {
  return HEADER_BYTES + index * RECORD_BYTES;
}

function flip(at: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at]! ^= 0x10;
    return bytes;
  };
}

describe('a damaged disk queue', () => {
  it('starts without a torn tail, cut and sealed', async () => {
    const disk = await diskWithOpenSegment(3);
    disk.edit(pathOf(1), (bytes) => bytes.subarray(0, bytes.length - 5));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), [0, 1]);
    assert.equal(life.lost.length, 0);
    assert.deepEqual(life.log.messages('info'), ['a file of the disk queue was cut after its last whole event']);
  });

  it('cuts a tail of zeros, which a loss of power leaves', async () => {
    const disk = await diskWithOpenSegment(2);
    disk.edit(pathOf(1), (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)]));
    const life = await QueueLife.open(disk);
    assert.equal(disk.bytesOf(pathOf(1)).length, recordAt(2) + SEAL_BYTES);
    assert.deepEqual(life.drain(), [0, 1]);
  });

  for (const [what, at] of [
    ['its bytes', recordAt(1) + 60],
    ['its checksum', recordAt(1) + 8],
    ['its length', recordAt(1) + 4],
    ['its magic', recordAt(1)],
  ] as const) {
    it(`loses one event when ${what} change, and counts it`, async () => {
      const disk = await diskWithTwoSegments();
      disk.edit(pathOf(1), flip(at));
      const life = await QueueLife.open(disk);
      assert.deepEqual(life.drain(), [0, ...range(2, 2 * PER_SEGMENT)]);
      const [lost] = life.lost;
      assert.deepEqual([lost?.reason, lost?.totals.events, lost?.totals.entries], ['corrupt', 1, 3]);
      assert.equal(life.metrics.read('disk_queue_damaged_regions_count', { pipe: 'p' }), 1);
      assert.equal(life.queue.pendingEvents(0), 0);
    });
  }

  it('moves on when the last record of the last segment is damaged', async () => {
    const disk = await diskWithTwoSegments();
    disk.edit(pathOf(2), flip(recordAt(PER_SEGMENT - 1) + 50));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), range(0, 2 * PER_SEGMENT - 1));
    life.offerMany(100, 103);
    assert.deepEqual(life.drain(), [100, 101, 102]);
  });

  it('takes a length of zero for damage', async () => {
    const disk = await diskWithTwoSegments();
    disk.edit(pathOf(1), (bytes) => bytes.fill(0, recordAt(0) + 4, recordAt(0) + 8));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), range(1, 2 * PER_SEGMENT));
  });

  it('scans a segment whose seal is damaged', async () => {
    const disk = await diskWithTwoSegments();
    disk.edit(pathOf(1), (bytes) => flip(bytes.length - 40)(bytes));
    const life = await QueueLife.open(disk);
    assert.equal(life.queue.pendingEvents(0), 2 * PER_SEGMENT);
    assert.deepEqual(life.drain(), range(0, 2 * PER_SEGMENT));
  });

  it('delivers again what a damaged settled file would have spared', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk);
    before.offerMany(0, 4);
    const first = before.queue.take(0)!;
    before.settle(first);
    await closeOn(disk, before);
    disk.edit(pathOf(1, 'settled'), flip(30));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), [0, 1, 2, 3]);
  });

  it('believes no settled file of another segment with the same name', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk);
    before.offerMany(0, 4);
    before.settle(before.queue.take(0)!);
    await closeOn(disk, before);
    const stale = disk.bytesOf(pathOf(1, 'settled'));
    const other = await diskWithTwoSegments();
    stale.writeUInt32LE(7, 8);
    other.writeWhole(pathOf(1, 'settled'), stale);
    const life = await QueueLife.open(other);
    assert.deepEqual(life.drain(), range(0, 2 * PER_SEGMENT));
  });

  it('goes on without a segment that is missing', async () => {
    const disk = await diskWithTwoSegments();
    disk.remove(pathOf(1));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), range(PER_SEGMENT, 2 * PER_SEGMENT));
    assert.deepEqual(life.lost, []);
  });

  it('counts what was in a segment that goes missing while it runs', async () => {
    const disk = await diskWithTwoSegments();
    const life = await QueueLife.open(disk);
    disk.remove(pathOf(1));
    assert.deepEqual(life.drain(), range(PER_SEGMENT, 2 * PER_SEGMENT));
    assert.deepEqual([life.lost[0]?.reason, life.lost[0]?.totals.events], ['corrupt', PER_SEGMENT]);
  });

  it('leaves a file alone whose header is damaged, and never writes into it', async () => {
    const disk = await diskWithTwoSegments();
    disk.edit(pathOf(2), () => Buffer.alloc(500, 7));
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), range(0, PER_SEGMENT));
    life.offerMany(50, 60);
    assert.deepEqual(life.drain(), range(50, 60));
    assert.deepEqual(disk.bytesOf(pathOf(2)), Buffer.alloc(500, 7));
    assert.deepEqual(life.log.messages('warn'), ['a file of the disk queue is damaged and left alone']);
  });

  it('deletes a file that a crash left before its first write', async () => {
    const disk = await diskWithTwoSegments();
    disk.edit(pathOf(2), () => Buffer.alloc(0));
    await QueueLife.open(disk);
    assert.ok(!disk.paths().includes(pathOf(2)));
  });

  it('takes no record inside a message for one of its own', async () => {
    const disk = new FakeDisk(createSeededRandom(1));
    const before = await QueueLife.open(disk);
    before.offerMany(0, 2);
    await closeOn(disk, before);
    // The second record as the body of the first's.
    disk.edit(pathOf(1), (bytes) => {
      const inner = Buffer.from(bytes.subarray(recordAt(1), recordAt(2)));
      inner.writeUInt32LE(inner.readUInt32LE(8) ^ 1, 8);
      return Buffer.concat([bytes.subarray(0, recordAt(0)), inner, bytes.subarray(recordAt(1))]);
    });
    const life = await QueueLife.open(disk);
    assert.deepEqual(life.drain(), [1]);
  });

  it('skips a segment that cannot be read now and comes back to it', async () => {
    const disk = await diskWithTwoSegments();
    const life = await QueueLife.open(disk);
    disk.faults.set('open', ['EMFILE']);
    assert.equal(life.queue.take(0), undefined);
    life.clock.advance(1002);
    assert.equal(life.changes, 1);
    assert.deepEqual(life.drain(), range(0, 2 * PER_SEGMENT));
    assert.deepEqual(life.lost, []);
  });

  it('counts a segment as lost that the disk cannot read', async () => {
    const disk = await diskWithTwoSegments();
    const life = await QueueLife.open(disk);
    disk.faults.set('read', ['EIO']);
    assert.deepEqual(life.drain(), range(PER_SEGMENT, 2 * PER_SEGMENT));
    assert.equal(life.lost[0]?.totals.events, PER_SEGMENT);
    assert.equal(life.metrics.read('disk_queue_failures_count', { pipe: 'p', operation: 'read' }), 1);
  });
});
