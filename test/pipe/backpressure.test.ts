import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { costOf } from '../../src/core/event.js';
import { encodeAls, encodeIdentifier, messageOf } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';
import type { FakeServerCall } from '../support/server-call.js';

const A = encodeIdentifier({ nodeId: 'a' });
/** One event a message; one batch of one event out at a time. */
const NARROW: RigOptions = {
  receiverOptions: { limit_count: 1 },
  sender: { max_buffer_size: 1, max_in_flight: 1 },
};

/** A pipe whose backend does not answer until told. */
async function startStuck(options: RigOptions): Promise<PipeRig> {
  const rig = await PipeRig.start({ ...NARROW, ...options });
  rig.channel.all[0]!.decide = () => null;
  return rig;
}

function release(rig: PipeRig): void {
  rig.channel.all[0]!.decide = () => statusOf(0);
  for (const call of rig.channel.calls) call.answer(statusOf(0));
  rig.run(1000);
}

function sendTo(stream: FakeServerCall, from: number, to: number): void {
  for (let index = from; index < to; index++) {
    stream.send(encodeAls([String(index)], index === 0 ? { identifier: A } : {}));
  }
}

function deliveredEntries(rig: PipeRig): string[] {
  return rig.channel.calls.flatMap((call) => readLikeOap(call).map(({ entry }) => entry));
}

/** No timer is left beyond the last tick of the wheel. */
function assertQuiet(rig: PipeRig): void {
  rig.clock.advance(100);
  assert.equal(rig.clock.pendingTimers, 0);
}

describe('a full queue', () => {
  it('drops the newest by default, counted as abandoned', async () => {
    const rig = await startStuck({ queueOptions: { event_buffer_size: 3 } });
    sendTo(rig.registry.open(ALS_PATH), 0, 10);
    assert.equal(rig.pipe.ledger.snapshot().dropped.queue_full?.events, 6);
    assert.equal(rig.metrics.read('gatherer_receive_count', { pipe: 'p', status: 'abandoned' }), 6);
    rig.assertBalanced();
    release(rig);
    assert.deepEqual(deliveredEntries(rig), ['0', '1', '2', '3']);
  });

  it('uses all partitions before it is full', async () => {
    const rig = await startStuck({ queueOptions: { event_buffer_size: 3, partition: 4 } });
    sendTo(rig.registry.open(ALS_PATH), 0, 20);
    assert.equal(rig.pipe.state.pendingEvents, 12);
    assert.equal(rig.pipe.ledger.snapshot().dropped.queue_full?.events, 7);
  });

  it('drops the oldest by policy', async () => {
    const rig = await startStuck({ queueOptions: { event_buffer_size: 3, when_full: 'drop_oldest' } });
    sendTo(rig.registry.open(ALS_PATH), 0, 10);
    assert.equal(rig.pipe.ledger.snapshot().dropped.queue_full?.events, 6);
    rig.assertBalanced();
    release(rig);
    assert.deepEqual(deliveredEntries(rig), ['0', '7', '8', '9']);
  });

  it('is bounded by bytes as well', async () => {
    const size = costOf(messageOf(encodeAls(['0'])));
    const rig = await startStuck({ queueOptions: { max_bytes: size * 3 } });
    const stream = rig.registry.open(ALS_PATH);
    sendTo(stream, 0, 10);
    assert.equal(rig.pipe.state.pendingEvents, 3);
    // Of 10, one is on its way and 3 wait. One larger than the bound is no other case: it would fit an empty queue.
    stream.send(encodeAls(['x'.repeat(size * 3)]));
    const { dropped } = rig.pipe.ledger.snapshot();
    assert.deepEqual([dropped.queue_full?.events, dropped.too_large], [7, undefined]);
    rig.assertBalanced();
  });

  it('blocks by policy: sources are paused, each as often as it is resumed, and nothing is lost', async () => {
    const rig = await startStuck({ queueOptions: { event_buffer_size: 3, when_full: 'block' } });
    const stream = rig.registry.open(ALS_PATH);
    sendTo(stream, 0, 10);
    assert.equal(stream.pauses, 6);
    assert.equal(rig.pipe.state.pausedSources, 6);
    const other = rig.registry.open(ALS_PATH);
    sendTo(other, 0, 1);
    assert.equal(other.pauses, 1);
    other.cancel();
    rig.assertBalanced();
    release(rig);
    assert.equal(stream.pauses, 0);
    assert.equal(deliveredEntries(rig).length, 11);
    assert.equal(rig.metrics.read('gatherer_pause_count', { pipe: 'p' }), 7);
    stream.cancel();
    rig.assertEmpty();
  });

  it('is announced at start when it is none-queue under a receiver that queues, and loses all, counted', async () => {
    const rig = await PipeRig.start({ queue: 'none-queue' });
    assert.deepEqual(
      rig.log.lines.map(({ level, fields }) => [level, fields.pipe]),
      [['warn', 'p']],
    );
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: A }))
      .halfClose();
    assert.equal(rig.pipe.ledger.snapshot().dropped.queue_full?.events, 1);
    rig.assertEmpty();
  });
});

describe('the memory budget', () => {
  const ENTRY_BYTES = 1000;
  const message = (index: number): Uint8Array =>
    encodeAls([String(index)], { entryBytes: ENTRY_BYTES, ...(index === 0 ? { identifier: A } : {}) });

  for (const [policy, kept] of [
    ['drop_newest', '1'],
    ['drop_oldest', '29'],
  ] as const) {
    it(`is never passed with ${policy}`, async () => {
      const budgetBytes = 10 * ENTRY_BYTES;
      const rig = await startStuck({ budgetBytes, queueOptions: { when_full: policy } });
      const stream = rig.registry.open(ALS_PATH);
      for (let index = 0; index < 30; index++) stream.send(message(index));
      assert.ok(rig.budget.peakBytes <= budgetBytes);
      assert.ok(rig.pipe.ledger.snapshot().dropped.memory_budget!.messages >= 20);
      rig.assertBalanced();
      release(rig);
      assert.ok(deliveredEntries(rig).includes(kept));
      stream.cancel();
      rig.assertEmpty();
    });
  }

  it('pauses sources with block, and drops only far beyond it', async () => {
    const budgetBytes = 10 * ENTRY_BYTES;
    const rig = await startStuck({ budgetBytes, queueOptions: { when_full: 'block' } });
    const stream = rig.registry.open(ALS_PATH);
    for (let index = 0; index < 30; index++) stream.send(message(index));
    assert.ok(stream.pauses > 0);
    assert.ok(rig.budget.peakBytes <= budgetBytes * 1.125 + A.length);
    rig.assertBalanced();
    release(rig);
    assert.equal(stream.pauses, 0);
    stream.cancel();
    rig.assertEmpty();
  });
});

describe('memory beside the payload', () => {
  it('is charged, so that a flood of tiny messages is bounded too', async () => {
    const rig = await startStuck({ budgetBytes: 100_000, receiverOptions: { limit_count: 1e6 } });
    const stream = rig.registry.open(ALS_PATH).send(encodeAls(['1'], { identifier: A }));
    for (let count = 0; count < 5000; count++) stream.send(new Uint8Array());
    assert.ok(rig.pipe.ledger.snapshot().dropped.memory_budget!.messages > 4500);
    assert.ok(rig.budget.peakBytes <= 100_000);
    rig.assertBalanced();
  });

  it('fails the calls of new streams when there is none for their identities', async () => {
    const identifier = encodeIdentifier({ nodeId: 'large', metadataBytes: 30_000 });
    const rig = await PipeRig.start({ budgetBytes: 100_000, queueOptions: { when_full: 'block' } });
    const streams = Array.from({ length: 6 }, () => rig.registry.open(ALS_PATH).send(encodeAls(['1'], { identifier })));
    assert.deepEqual(
      streams.map((stream) => stream.status?.code),
      [undefined, undefined, undefined, 8, 8, 8],
    );
    assert.equal(rig.pipe.ledger.snapshot().dropped.memory_budget?.messages, 3);
    rig.run(2000);
    for (const stream of streams) stream.cancel();
    rig.assertEmpty();
    assert.equal(rig.registry.open(ALS_PATH).send(encodeAls(['1'], { identifier })).isEnded, false);
  });
});

describe('draining', () => {
  it('sends windows and queue without waiting, then resolves', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH).send(encodeAls(['1'], { identifier: A }));
    const drained = rig.pipe.drain(rig.clock.now() + 5000);
    rig.run(0);
    await drained;
    assert.equal(rig.pipe.state.phase, 'closed');
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 1);
    stream.send(encodeAls(['2']));
    assert.equal(rig.pipe.ledger.snapshot().dropped.shutdown?.entries, 1);
    stream.cancel();
    rig.assertEmpty();
    assertQuiet(rig);
  });

  it('resolves at once when nothing is held', async () => {
    const rig = await PipeRig.start();
    await rig.pipe.drain(rig.clock.now() + 5000);
    await rig.pipe.close();
    assertQuiet(rig);
  });

  it('drops the rest as shutdown at its deadline, wherever it is held', async () => {
    for (const whenFull of ['drop_newest', 'block']) {
      const rig = await startStuck({ queueOptions: { event_buffer_size: 3, when_full: whenFull } });
      const stream = rig.registry.open(ALS_PATH);
      sendTo(stream, 0, 6);
      const drained = rig.pipe.drain(rig.clock.now() + 5000);
      rig.run(5000, 100);
      await drained;
      const { dropped } = rig.pipe.ledger.snapshot();
      assert.equal(dropped.shutdown?.events, whenFull === 'block' ? 6 : 4);
      assert.equal(stream.pauses, 0);
      assert.equal(rig.channel.calls[0]!.cancelReason, 'shutting down');
      stream.cancel();
      rig.assertEmpty();
      assertQuiet(rig);
    }
  });

  it('drops batches between two tries and without an endpoint', async () => {
    for (const endpoints of [0, 1]) {
      const rig = await PipeRig.start({
        endpoints,
        sender: { retry: { initial_interval: '60s', max_interval: '60s' } },
      });
      for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(14);
      rig.registry
        .open(ALS_PATH)
        .send(encodeAls(['1'], { identifier: A }))
        .halfClose();
      rig.run(100);
      assert.equal(rig.pipe.state.batchesWaiting, 1);
      const drained = rig.pipe.drain(rig.clock.now() + 1000);
      rig.run(1000, 100);
      await drained;
      assert.equal(rig.pipe.ledger.snapshot().dropped.shutdown?.events, 1);
      rig.assertEmpty();
      assertQuiet(rig);
    }
  });

  it('lets every event go when its source went before it', async () => {
    const rig = await PipeRig.start();
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: A }))
      .cancel();
    await rig.pipe.close();
    assert.equal(rig.pipe.ledger.snapshot().dropped.shutdown?.events, 1);
    rig.assertEmpty();
  });
});
