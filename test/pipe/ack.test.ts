import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '../support/eventually.js';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { ALS_PATH, PipeRig } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';
import type { FakeServerCall } from '../support/server-call.js';
import { makeTemporaryFolder } from '../support/temporary.js';

const OK = 0;
const UNAVAILABLE = 14;
const INVALID_ARGUMENT = 3;
const MIB = 1024 * 1024;

async function start(ack: string, options: RigOptions = {}): Promise<PipeRig> {
  return PipeRig.start({ ...options, receiverOptions: { ack, limit_count: 1 } });
}

/** A call with `entries` messages of one entry each. */
function send(rig: PipeRig, entries = 1, entryBytes = 100): FakeServerCall {
  const stream = rig.registry.open(ALS_PATH);
  for (let index = 0; index < entries; index++) {
    const identifier = index === 0 ? { identifier: encodeIdentifier({ nodeId: 'a' }) } : {};
    stream.send(encodeAls([`entry ${index}`], { entryBytes, ...identifier }));
  }
  return stream;
}

describe('ack: received', () => {
  it('answers at once, whatever becomes of the data', async () => {
    const rig = await start('received', { queueOptions: { event_buffer_size: 1 } });
    rig.channel.all[0]!.isReady = false;
    assert.equal(send(rig, 5).halfClose().status?.code, OK);
  });
});

describe('ack: queued', () => {
  it('answers OK when the queue has taken everything, before anything is delivered', async () => {
    const rig = await start('queued');
    assert.equal(send(rig, 5).halfClose().status?.code, OK);
    assert.equal(rig.channel.calls.length, 0);
  });

  it('answers UNAVAILABLE when the queue had no room for some of it', async () => {
    const rig = await start('queued', { queueOptions: { event_buffer_size: 2 } });
    rig.channel.all[0]!.isReady = false;
    assert.equal(send(rig, 50).halfClose().status?.code, UNAVAILABLE);
  });

  it('answers UNAVAILABLE when there was no memory for some of it', async () => {
    const rig = await start('queued', { budgetBytes: 2000 });
    rig.channel.all[0]!.isReady = false;
    assert.equal(send(rig, 20).halfClose().status?.code, UNAVAILABLE);
  });

  it('waits for room where the queue blocks', async () => {
    const rig = await start('queued', { queueOptions: { event_buffer_size: 1, when_full: 'block' } });
    rig.channel.all[0]!.isReady = false;
    const first = send(rig).halfClose();
    const second = send(rig).halfClose();
    assert.equal(first.status?.code, OK);
    // The batch that is cut makes room for one more; the next has to wait.
    rig.run(100);
    const third = send(rig);
    third.halfClose();
    rig.channel.all[0]!.isReady = true;
    rig.channel.wake();
    rig.run(2000);
    assert.deepEqual([second.status?.code, third.status?.code], [OK, OK]);
    rig.assertEmpty();
  });

  it('waits until a queue on disk has it on disk', async (t) => {
    const directory = makeTemporaryFolder();
    const rig = await start('queued', { queue: 'mmap-queue', queueOptions: { directory, fsync: 'always' } });
    t.after(() => rig.pipe.close());
    rig.channel.all[0]!.isReady = false;
    const call = send(rig, 5).halfClose();
    assert.ok(!call.isEnded);
    await eventually({ until: 'it is on disk', withinMs: 5000, everyMs: 5 }, () => {
      rig.run(10);
      return call.status ?? undefined;
    });
    assert.equal(call.status?.code, OK);
  });
});

describe('ack: delivered', () => {
  it('answers OK when a backend has taken everything', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.decide = () => null;
    const call = send(rig, 5).halfClose();
    rig.run(1000);
    assert.ok(!call.isEnded);
    for (const sent of rig.channel.calls) sent.answer(statusOf(OK));
    assert.equal(call.status?.code, OK);
    assert.equal(call.replies.length, 1);
    rig.assertEmpty();
  });

  it('answers UNAVAILABLE when some of it was dropped', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.decide = () => statusOf(INVALID_ARGUMENT);
    const call = send(rig, 2).halfClose();
    rig.run(5000);
    assert.equal(call.status?.code, UNAVAILABLE);
    assert.match(call.status.message, /rejected/);
  });

  it('holds a stream back whose data is not delivered, and lets it go on at half', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.isReady = false;
    const call = send(rig, 3, MIB);
    assert.equal(call.pauses, 1);
    rig.channel.all[0]!.isReady = true;
    rig.channel.wake();
    rig.run(1000);
    assert.equal(call.pauses, 0);
    rig.assertBalanced();
  });

  it('answers a drained stream for what came before, however much still comes', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.decide = () => null;
    const call = send(rig, 2);
    rig.run(100);
    call.drain();
    call.send(encodeAls(['late']));
    rig.run(100);
    assert.equal(call.status, null);
    rig.channel.calls[0]!.answer(statusOf(OK));
    assert.equal((call.status as FakeServerCall['status'])?.code, OK);
    rig.channel.all[0]!.decide = () => statusOf(OK);
    call.send(encodeAls(['later']));
    rig.channel.calls[1]!.answer(statusOf(OK));
    rig.run(100);
    assert.equal(call.replies.length, 1);
    call.stop();
    rig.assertEmpty();
  });

  it('holds a drained stream back too, while what it still brings is not delivered', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.isReady = false;
    const call = send(rig).drain();
    for (let count = 0; count < 3; count++) call.send(encodeAls(['late'], { entryBytes: MIB }));
    assert.equal(call.pauses, 1);
    rig.channel.all[0]!.isReady = true;
    rig.channel.wake();
    rig.run(1000);
    assert.equal(call.pauses, 0);
    assert.equal(call.status?.code, OK);
    call.stop();
    rig.assertEmpty();
  });

  it('does not mind a call that has ended meanwhile', async () => {
    const rig = await start('delivered');
    rig.channel.all[0]!.decide = () => null;
    const call = send(rig, 5);
    call.cancel();
    rig.run(1000);
    for (const sent of rig.channel.calls) sent.answer(statusOf(OK));
    assert.equal(call.status, null);
    rig.assertEmpty();
  });
});
