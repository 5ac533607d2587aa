/** Whatever happens to the bytes of a disk queue, it opens, ends, delivers nothing false, and its books balance. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSeededRandom } from '../../src/base/index.js';
import { closeOn, labelOf, QueueLife } from '../support/disk-queue.js';
import { FakeDisk } from '../support/fake-disk.js';

const EVENTS = 40;

interface Injury {
  readonly file: number;
  /** Place in the file. @units ratio */
  readonly at: number;
  readonly kind: 'flip' | 'zeros' | 'cut' | 'insert' | 'copy' | 'remove';
  readonly bytes: number;
}

const injury: fc.Arbitrary<Injury> = fc.record({
  file: fc.nat(20),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('flip', 'zeros', 'cut', 'insert', 'copy', 'remove'),
  bytes: fc.integer({ min: 1, max: 300 }),
});

function injure(disk: FakeDisk, { file, at, kind, bytes: count }: Injury): void {
  const paths = disk.paths().filter((path) => !path.endsWith('lock'));
  const path = paths[file % Math.max(1, paths.length)];
  if (path === undefined) return;
  if (kind === 'remove') {
    disk.remove(path);
    return;
  }
  disk.edit(path, (bytes) => {
    const place = Math.floor(at * Math.max(0, bytes.length - 1));
    const [before, rest] = [bytes.subarray(0, place), bytes.subarray(place)];
    switch (kind) {
      case 'flip':
        if (bytes.length > 0) bytes[place]! ^= 1 << (count % 8);
        return bytes;
      case 'zeros':
        return bytes.fill(0, place, Math.min(place + count, bytes.length));
      case 'cut':
        return before;
      case 'insert':
        return Buffer.concat([before, Buffer.alloc(count, 0x53), rest]);
      case 'copy':
        // A piece of itself, records and all.
        return Buffer.concat([before, bytes.subarray(0, count), rest]);
    }
  });
}

async function makeDisk(seed: number, isCrashed: boolean): Promise<FakeDisk> {
  const disk = new FakeDisk(createSeededRandom(seed));
  const life = await QueueLife.open(disk, { fsync: 'always' });
  life.offerMany(0, EVENTS);
  for (let count = 0; count < 3; count++) life.settle(life.queue.take(0)!);
  life.clock.advance(1001);
  if (isCrashed) disk.killProcess();
  else await closeOn(disk, life);
  return disk;
}

describe('a disk queue of injured files', () => {
  it('delivers whole events only, each once, and accounts for the rest', async () => {
    const injuries = fc.array(injury, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(injuries, fc.nat(1000), fc.boolean(), async (list, seed, isCrashed) => {
        const disk = await makeDisk(seed, isCrashed);
        for (const one of list) injure(disk, one);
        const life = await QueueLife.open(disk);
        const found = life.queue.found(0).events;
        const labels: number[] = [];
        for (let event = life.queue.take(0); event !== undefined; event = life.queue.take(0)) {
          labels.push(labelOf(event));
          life.settle(event);
        }
        const lost = life.lost.reduce((sum, { totals }) => sum + totals.events, 0);
        assert.equal(labels.length + lost, found);
        assert.equal(life.queue.pendingEvents(0), 0);
        const mayRepeat = list.some(({ kind }) => kind === 'copy');
        assert.ok(mayRepeat || new Set(labels).size === labels.length, 'each at most once');
        assert.ok(labels.every((label) => label < EVENTS));
        life.offerMany(100, 103);
        assert.deepEqual(life.drain(), [100, 101, 102]);
        await closeOn(disk, life);
        assert.equal(life.budget.usedBytes, 0);
      }),
      { numRuns: Number(process.env.DISK_QUEUE_RUNS ?? 300), seed: 9 },
    );
  });
});
