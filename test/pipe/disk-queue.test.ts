import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../src/base/index.js';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { QueueLife } from '../support/disk-queue.js';
import { FakeDisk } from '../support/fake-disk.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';
import { makeTemporaryFolder } from '../support/temporary.js';

const ENTRY_BYTES = 1000;

/** A pipe whose queue is in `directory`, with an event for each message. */
async function startOn(directory: string, options: RigOptions = {}): Promise<PipeRig> {
  return PipeRig.start({
    queue: 'mmap-queue',
    receiverOptions: { limit_count: 1 },
    ...options,
    queueOptions: { directory, segment_size: 4096, ...options.queueOptions },
  });
}

function sendFrom(rig: PipeRig, node: string, from: number, to: number): void {
  const stream = rig.registry.open(ALS_PATH);
  for (let index = from; index < to; index++) {
    const identifier = index === from ? { identifier: encodeIdentifier({ nodeId: node }) } : {};
    stream.send(encodeAls([`${node}-${index}`], { entryBytes: ENTRY_BYTES, ...identifier }));
  }
  stream.cancel();
}

async function stop(rig: PipeRig): Promise<void> {
  const drained = rig.pipe.drain(rig.clock.now());
  rig.run(10, 10);
  await drained;
  rig.assertBalanced();
  await rig.pipe.close();
  assert.equal(rig.budget.usedBytes, 0, 'memory charged');
}

function entriesOf(rig: PipeRig): string[] {
  return rig.channel.calls.flatMap((call) => readLikeOap(call).map(({ nodeId, entry }) => `${nodeId}/${entry}`));
}

function labels(node: string, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `${node}/${node}-${from + index}`);
}

function segmentsOf(directory: string): string[] {
  const partition = join(directory, 'p', 'partition-0');
  return readdirSync(partition).map((name) => join(partition, name));
}

describe('a pipe with a disk queue', () => {
  it('delivers after a restart what no backend took before, oldest first, each once', async () => {
    const directory = makeTemporaryFolder();
    const before = await startOn(directory, { endpoints: 0 });
    sendFrom(before, 'a', 0, 30);
    before.run(100);
    await stop(before);
    assert.equal(before.pipe.ledger.snapshot().held.entries, 30);
    assert.deepEqual(before.pipe.ledger.snapshot().dropped, {});

    const after = await startOn(directory);
    after.channel.all[0]!.decide = () => statusOf(0);
    assert.equal(after.pipe.ledger.snapshot().received.entries, 30);
    const { bytes } = before.pipe.ledger.snapshot().held;
    assert.deepEqual(
      after.log.lines.map(({ fields }) => fields),
      [{ pipe: 'p', events: '30', entries: '30', bytes: String(bytes) }],
    );
    sendFrom(after, 'b', 0, 5);
    after.run(2000);
    after.assertBalanced();
    assert.equal(after.pipe.ledger.snapshot().held.entries, 0);
    assert.deepEqual(entriesOf(after), [...labels('a', 0, 30), ...labels('b', 0, 5)]);
    await stop(after);
    assert.deepEqual(segmentsOf(directory), []);
  });

  it('holds a backlog far beyond its memory', async () => {
    const directory = makeTemporaryFolder();
    const rig = await startOn(directory, { endpoints: 0, budgetBytes: 2_000_000 });
    sendFrom(rig, 'a', 0, 3000);
    const { held, dropped } = rig.pipe.ledger.snapshot();
    assert.deepEqual([held.entries, dropped], [3000, {}]);
    assert.ok(rig.budget.usedBytes < 1_900_000, `${rig.budget.usedBytes} bytes charged`);
    await stop(rig);
  });

  for (const whenFull of ['drop_newest', 'drop_oldest', 'block']) {
    it(`lets go of memory for what comes when the budget is used up, and drops nothing, ${whenFull}`, async () => {
      const directory = makeTemporaryFolder();
      const queueOptions = { when_full: whenFull, segment_size: 262_144 };
      const budgetBytes = 1_000_000;
      // What is on its way already stays.
      const sender = { max_in_flight: 1, max_buffer_size: 10 };
      const rig = await startOn(directory, { endpoints: 0, budgetBytes, queueOptions, sender });
      // 655 KB are the queue's own buffer; the rest would be full of events in memory.
      sendFrom(rig, 'a', 0, 600);
      assert.ok(rig.budget.peakBytes > budgetBytes * 0.8);
      assert.ok(rig.budget.peakBytes <= budgetBytes);
      rig.assertBalanced();
      assert.deepEqual(rig.pipe.ledger.snapshot().dropped, {});
      rig.channel.add();
      rig.channel.wake();
      rig.run(5000);
      assert.deepEqual(entriesOf(rig).length, 600);
      assert.deepEqual([...new Set(entriesOf(rig))].length, 600);
      await stop(rig);
    });
  }

  it('gives up its oldest file on a full disk by policy, not all it has', async () => {
    const disk = new FakeDisk(createSeededRandom(5));
    const { queue } = new QueueLife(disk, { fsync: 'always', whenFull: 'drop_oldest', segmentBytes: 5000 });
    const sender = { max_in_flight: 1, max_buffer_size: 1 };
    const rig = await PipeRig.start({ receiverOptions: { limit_count: 1 }, endpoints: 0, plugins: { queue }, sender });
    sendFrom(rig, 'a', 0, 60);
    disk.freeBytes = 0;
    sendFrom(rig, 'b', 0, 1);
    // The rest of the file that is on its way, a whole file, and the event that found the disk full.
    const lost = rig.pipe.ledger.snapshot().dropped.queue_full!.entries;
    assert.ok(lost < 10, `${lost} lost`);
    for (let turn = 0; turn < 5; turn++) {
      await disk.finishSyncs();
      await new Promise((resolve) => setImmediate(resolve));
    }
    sendFrom(rig, 'b', 1, 4);
    rig.assertBalanced();
    assert.equal(rig.pipe.ledger.snapshot().dropped.queue_full!.entries, lost);
  });

  it('keeps to its share of the pipe: the oldest file goes first when full, counted', async () => {
    const directory = makeTemporaryFolder();
    const options = { queueOptions: { capacity: 40_000, when_full: 'drop_oldest' }, endpoints: 0 };
    const rig = await startOn(directory, options);
    sendFrom(rig, 'a', 0, 100);
    rig.assertBalanced();
    const { held, dropped } = rig.pipe.ledger.snapshot();
    assert.ok((dropped.queue_full?.entries ?? 0) > 50);
    assert.ok(held.entries > 20);
    await stop(rig);
  });

  it('counts what is damaged, and delivers the rest', async () => {
    const directory = makeTemporaryFolder();
    const before = await startOn(directory, { endpoints: 0 });
    sendFrom(before, 'a', 0, 12);
    await stop(before);
    const [first] = segmentsOf(directory).filter((path) => path.endsWith('.segment'));
    const bytes = readFileSync(first!);
    bytes[500]! ^= 1;
    writeFileSync(first!, bytes);

    const after = await startOn(directory);
    after.channel.all[0]!.decide = () => statusOf(0);
    after.run(2000);
    after.assertEmpty();
    assert.equal(after.pipe.ledger.snapshot().dropped.corrupt?.entries, 1);
    assert.deepEqual(entriesOf(after), labels('a', 1, 12));
    assert.equal(after.metrics.read('disk_queue_damaged_regions_count', { pipe: 'p' }), 1);
    await stop(after);
  });

  it('is told from the queue of another kind of data', async () => {
    const directory = makeTemporaryFolder();
    const before = await startOn(directory, { endpoints: 0 });
    sendFrom(before, 'a', 0, 1);
    await stop(before);
    const options = { receiver: 'grpc-native-log-receiver', forwarder: 'native-log-grpc-forwarder' };
    await assert.rejects(
      startOn(directory, { ...options, receiverOptions: {} }),
      /holds data of type als-v3.*carries log/,
    );
  });
});
