import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Batch } from '../../src/core/batch.js';
import { writeMessages } from '../../src/core/pipe/index.js';
import type { Fallbacker, Filter, Forwarder } from '../../src/core/pipe/index.js';
import type { ClientCall } from '../../src/net/grpc/contract.js';
import { MemoryQueue } from '../../src/plugins/queue/memory-queue/queue.js';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';

/** The first stand still, jitter included. */
const STAND_STILL_MS = 600;
/** Values of the metric `pipe_state`. */
const RUNNING = 1;
const DEGRADED = 2;
const A = encodeIdentifier({ nodeId: 'a' });

async function start(options: RigOptions): Promise<PipeRig> {
  return PipeRig.start({ receiverOptions: { limit_count: 1 }, ...options });
}

function sendEvents(rig: PipeRig, entries: readonly string[]): void {
  const stream = rig.registry.open(ALS_PATH);
  entries.forEach((entry, index) => stream.send(encodeAls([entry], index === 0 ? { identifier: A } : {})));
  stream.cancel();
}

function arrived(rig: PipeRig): string[] {
  const delivered = rig.channel.calls.filter((call) => call.isHalfClosed);
  return delivered.flatMap((call) => readLikeOap(call).map(({ entry }) => entry)).sort();
}

function stateOf(rig: PipeRig): number | undefined {
  return rig.metrics.read('pipe_state', { pipe: 'p' });
}

function failuresOf(rig: PipeRig, kind: string): number | undefined {
  return rig.metrics.read('pipe_plugin_failure_count', { pipe: 'p', kind });
}

/** Writes as the real ones do, or throws. */
class FaultyForwarder implements Forwarder {
  readonly dataType = 'als-v3';
  readonly paths = ['/backend/method'];
  readonly callUnit = 'batch';
  throwsOn: (batch: Batch) => boolean = () => false;
  throwsOnDelivered = false;

  writeBatch(call: ClientCall, batch: Batch): void {
    if (this.throwsOn(batch)) throw new Error('the forwarder is broken');
    for (const event of batch.events) {
      writeMessages(
        call,
        event,
        batch.from,
        batch.isPartial ? batch.to : event.messages.length,
        event.identity?.bytes ?? null,
      );
    }
    call.halfClose();
  }

  onDelivered(): void {
    if (this.throwsOnDelivered) throw new Error('the forwarder cannot count');
  }
}

function contains(text: string): (batch: Batch) => boolean {
  return (batch) =>
    batch.events.some((event) =>
      event.messages.some((message) => message.parts.some((part) => Buffer.from(part).includes(text))),
    );
}

describe('a plugin that throws', () => {
  it('makes its pipe stand still, degraded, until it starts anew and delivers', async () => {
    const forwarder = new FaultyForwarder();
    forwarder.throwsOn = () => true;
    const rig = await start({ plugins: { forwarder } });
    assert.equal(stateOf(rig), RUNNING);
    sendEvents(rig, ['1', '2']);
    rig.run(100);
    assert.equal(stateOf(rig), DEGRADED);
    assert.equal(rig.pipe.state.phase, 'degraded');
    assert.equal(failuresOf(rig, 'forwarder'), 1);
    sendEvents(rig, ['3']);
    forwarder.throwsOn = () => false;
    rig.run(100);
    assert.deepEqual(arrived(rig), [], 'sent while it stands still');
    rig.run(STAND_STILL_MS);
    assert.deepEqual(arrived(rig), ['1', '2', '3']);
    assert.equal(stateOf(rig), RUNNING);
    rig.assertEmpty();
  });

  it('stands still longer each time, so that nothing runs hot', async () => {
    const forwarder = new FaultyForwarder();
    forwarder.throwsOn = () => true;
    const rig = await start({ plugins: { forwarder } });
    for (let second = 0; second < 60; second++) {
      sendEvents(rig, ['x']);
      rig.run(1000, 100);
    }
    const failures = failuresOf(rig, 'forwarder') ?? 0;
    assert.ok(failures >= 4 && failures <= 30, `${failures} exceptions in a minute`);
    rig.assertBalanced();
  });

  it('loses the one message that it cannot take, and no neighbour', async () => {
    const forwarder = new FaultyForwarder();
    forwarder.throwsOn = contains('poison');
    const rig = await start({ plugins: { forwarder } });
    sendEvents(rig, ['1', '2', '3', 'poison', '4', '5', '6']);
    rig.run(60_000, 50);
    assert.deepEqual(arrived(rig), ['1', '2', '3', '4', '5', '6']);
    assert.equal(rig.pipe.ledger.snapshot().dropped.plugin_failed?.entries, 1);
    rig.assertEmpty();
  });

  it('delivers all the same when it throws while it counts what was delivered', async () => {
    const forwarder = new FaultyForwarder();
    forwarder.throwsOnDelivered = true;
    const rig = await start({ plugins: { forwarder } });
    sendEvents(rig, ['1']);
    rig.run(100);
    assert.deepEqual(arrived(rig), ['1']);
    assert.equal(failuresOf(rig, 'forwarder'), 1);
    rig.assertEmpty();
  });

  it('as a filter, costs the event that it threw on', async () => {
    let left = 1;
    const filter: Filter = {
      keeps: () => {
        if (left-- > 0) throw new Error('the filter is broken');
        return true;
      },
    };
    const rig = await start({ filters: [filter] });
    sendEvents(rig, ['1', '2', '3']);
    rig.run(100);
    assert.deepEqual(arrived(rig), []);
    rig.run(STAND_STILL_MS);
    assert.deepEqual(arrived(rig), ['2', '3']);
    assert.equal(rig.pipe.ledger.snapshot().dropped.plugin_failed?.events, 1);
    rig.assertEmpty();
  });

  it('as a fallbacker, means that there is no further try', async () => {
    const fallbacker: Fallbacker = {
      nextTryMs: () => {
        throw new Error('the fallbacker is broken');
      },
    };
    const rig = await start({ plugins: { fallbacker }, sender: { retry: { enabled: false } } });
    rig.channel.all[0]!.decide = () => statusOf(14);
    sendEvents(rig, ['1']);
    rig.run(100);
    assert.equal(rig.pipe.ledger.snapshot().dropped.retry_expired?.entries, 1);
    assert.equal(failuresOf(rig, 'fallbacker'), 1);
    rig.assertEmpty();
  });

  for (const verb of ['offer', 'peek', 'take', 'settle'] as const) {
    it(`as a queue, in ${verb}, keeps books and memory in order`, async () => {
      const queue = new MemoryQueue({ partitions: 1, eventsPerPartition: 10, maxBytes: 0, whenFull: 'drop_newest' });
      let left = 1;
      const real = queue[verb].bind(queue) as (...args: unknown[]) => unknown;
      Object.assign(queue, {
        [verb]: (...args: unknown[]) => {
          if (left-- > 0) throw new Error('the queue is broken');
          return real(...args);
        },
      });
      const rig = await start({ plugins: { queue } });
      sendEvents(rig, ['1', '2', '3']);
      rig.run(2 * STAND_STILL_MS);
      assert.deepEqual(arrived(rig), verb === 'offer' ? ['2', '3'] : ['1', '2', '3']);
      assert.equal(failuresOf(rig, 'queue'), 1);
      rig.assertEmpty();
    });
  }

  it('does not keep a drain waiting for the next start', async () => {
    const forwarder = new FaultyForwarder();
    forwarder.throwsOn = () => true;
    const rig = await start({ plugins: { forwarder } });
    sendEvents(rig, ['1']);
    rig.run(100);
    forwarder.throwsOn = () => false;
    const drained = rig.pipe.drain(rig.clock.now() + 100);
    rig.run(10);
    await drained;
    assert.deepEqual(arrived(rig), ['1']);
    rig.assertEmpty();
  });
});
