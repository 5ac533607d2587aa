import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { ALS_PATH, PipeRig } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';
import type { FakeServerCall } from '../support/server-call.js';

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
