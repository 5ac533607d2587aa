import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';
import type { FakeServerCall } from '../support/server-call.js';
import { makeTemporaryFolder } from '../support/temporary.js';

/** Events that fit the queue. */
const CAPACITY = 80;
/** Events that the greedy source offers, one a message. */
const FLOOD = 1000;

/** A pipe whose backends take nothing. */
async function start(options: RigOptions = {}): Promise<PipeRig> {
  const rig = await PipeRig.start({
    receiverOptions: { limit_count: 1 },
    queueOptions: { event_buffer_size: CAPACITY, partition: 1 },
    ...options,
  });
  for (const endpoint of rig.channel.all) endpoint.isReady = false;
  return rig;
}

function open(rig: PipeRig, host: string): FakeServerCall {
  const stream = rig.registry.open(ALS_PATH, { host });
  stream.send(encodeAls([`${host} greets`], { identifier: encodeIdentifier({ nodeId: host }) }));
  return stream;
}

function send(stream: FakeServerCall, entries: number): void {
  for (let entry = 0; entry < entries; entry++) stream.send(encodeAls([`entry ${entry}`]));
}

function lost(rig: PipeRig): number {
  const { dropped } = rig.pipe.ledger.snapshot();
  return (dropped.queue_full?.entries ?? 0) + (dropped.memory_budget?.entries ?? 0);
}

function labels(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `entry ${from + index}`);
}

/** The backends take everything; what arrived, by host. */
async function deliverAll(rig: PipeRig): Promise<Map<string, string[]>> {
  for (const endpoint of rig.channel.all) endpoint.isReady = true;
  rig.channel.wake();
  rig.run(5000);
  // Files are deleted in their own time.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const arrived = new Map<string, string[]>();
  for (const { nodeId, entry } of rig.channel.calls.flatMap(readLikeOap)) {
    arrived.set(nodeId, [...(arrived.get(nodeId) ?? []), entry]);
  }
  return arrived;
}

describe('when room runs out', () => {
  it('a greedy source leaves some of the queue to the others', async () => {
    const rig = await start();
    const greedy = open(rig, '10.0.0.1');
    const modest = open(rig, '10.0.0.2');
    send(greedy, FLOOD);
    const lostByGreedy = lost(rig);
    assert.ok(lostByGreedy > FLOOD - CAPACITY);
    send(modest, 5);
    send(greedy, 10);
    assert.equal(lost(rig), lostByGreedy + 10, 'the modest one has lost something');
    rig.assertBalanced();
  });

  it('a greedy source leaves some of the memory to the others', async () => {
    const rig = await start({ queueOptions: { event_buffer_size: 100_000, partition: 1 }, budgetBytes: 64 * 1024 });
    const greedy = open(rig, '10.0.0.1');
    const modest = open(rig, '10.0.0.2');
    send(greedy, FLOOD);
    const lostByGreedy = lost(rig);
    assert.ok(lostByGreedy > 0);
    send(modest, 5);
    assert.equal(lost(rig), lostByGreedy);
    rig.assertBalanced();
  });

  it('a greedy source pushes out what it has itself, oldest first, where the oldest is dropped', async () => {
    for (const partition of [1, 4]) {
      const queueOptions = { event_buffer_size: CAPACITY / partition, partition, when_full: 'drop_oldest' };
      const rig = await start({ queueOptions });
      const modest = open(rig, '10.0.0.2');
      send(modest, 5);
      const greedy = open(rig, '10.0.0.1');
      send(greedy, FLOOD);
      send(modest, 3);
      send(greedy, FLOOD);
      rig.assertBalanced();
      const arrived = await deliverAll(rig);
      assert.deepEqual(arrived.get('10.0.0.2')!.sort(), ['10.0.0.2 greets', ...labels(0, 5), ...labels(0, 3)].sort());
      const kept = arrived.get('10.0.0.1')!;
      const newest = labels(FLOOD - 50, FLOOD);
      assert.ok(
        newest.every((entry) => kept.includes(entry)),
        'the newest of the greedy one',
      );
      modest.cancel();
      greedy.cancel();
      rig.assertEmpty();
    }
  });

  it('a greedy source pushes its own out of memory, where the oldest is dropped', async () => {
    const queueOptions = { event_buffer_size: 100_000, partition: 1, when_full: 'drop_oldest' };
    const rig = await start({ queueOptions, budgetBytes: 64 * 1024 });
    const modest = open(rig, '10.0.0.2');
    send(modest, 5);
    const greedy = open(rig, '10.0.0.1');
    send(greedy, FLOOD);
    const arrived = await deliverAll(rig);
    assert.equal(arrived.get('10.0.0.2')!.length, 6);
    assert.equal(arrived.get('10.0.0.1')!.at(-1), `entry ${FLOOD - 1}`);
    assert.ok(rig.budget.peakBytes <= 64 * 1024);
    modest.cancel();
    greedy.cancel();
    rig.assertEmpty();
  });

  it('the others push out the oldest of all, as the policy says', async () => {
    const rig = await start({ queueOptions: { event_buffer_size: CAPACITY, partition: 1, when_full: 'drop_oldest' } });
    const streams = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map((host) => open(rig, host));
    for (let round = 0; round < CAPACITY; round++) for (const stream of streams) send(stream, 1);
    const arrived = await deliverAll(rig);
    for (const entries of arrived.values()) assert.equal(entries.length, CAPACITY / streams.length);
  });

  it('a greedy source leaves some of the disk to the others, until its files are given back', async (t) => {
    const queueOptions = { directory: makeTemporaryFolder(), capacity: 100_000, segment_size: 4096 };
    const rig = await start({ queue: 'mmap-queue', queueOptions });
    t.after(() => rig.pipe.close());
    const greedy = open(rig, '10.0.0.1');
    const modest = open(rig, '10.0.0.2');
    send(greedy, FLOOD);
    const lostByGreedy = lost(rig);
    assert.ok(lostByGreedy > 0);
    send(modest, 20);
    send(greedy, 10);
    assert.equal(lost(rig), lostByGreedy + 10, 'the modest one has lost something');
    await deliverAll(rig);
    send(greedy, 10);
    assert.equal(lost(rig), lostByGreedy + 10);
    rig.assertBalanced();
  });

  it('a source that is alone may fill everything', async () => {
    const rig = await start();
    send(open(rig, '10.0.0.1'), CAPACITY - 1);
    assert.equal(lost(rig), 0);
  });

  it('sources that send alike may fill everything', async () => {
    const rig = await start();
    const streams = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map((host) => open(rig, host));
    for (let round = 0; round < CAPACITY / 4 - 1; round++) for (const stream of streams) send(stream, 1);
    assert.equal(lost(rig), 0);
  });

  it('a source is greedy no longer when what it held is delivered', async () => {
    const rig = await start();
    const greedy = open(rig, '10.0.0.1');
    open(rig, '10.0.0.2');
    send(greedy, FLOOD);
    const before = lost(rig);
    for (const endpoint of rig.channel.all) endpoint.isReady = true;
    rig.channel.wake();
    rig.run(5000);
    send(greedy, 10);
    rig.run(5000);
    assert.equal(lost(rig), before);
    greedy.halfClose();
    rig.assertBalanced();
  });
});
