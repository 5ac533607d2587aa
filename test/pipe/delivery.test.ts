import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OUTCOME } from '../../src/core/channel.js';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import type { FakeClientCall, FakeEndpoint } from '../support/channel.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';

const LINGER_MS = 20;
const UNAVAILABLE = statusOf(14);
const A = encodeIdentifier({ nodeId: 'a' });

/** Each message an event at once: the tests below are about what follows. */
const EVENT_PER_MESSAGE = { receiverOptions: { limit_count: 1 } };

async function startWith(options: RigOptions = {}): Promise<PipeRig> {
  return PipeRig.start({ ...EVENT_PER_MESSAGE, ...options });
}

function sendEvents(rig: PipeRig, count: number, prefix = ''): void {
  const stream = rig.registry.open(ALS_PATH);
  for (let index = 0; index < count; index++) {
    stream.send(encodeAls([`${prefix}${index}`], index === 0 ? { identifier: A } : {}));
  }
  stream.cancel();
}

function entriesOf(calls: readonly FakeClientCall[]): string[] {
  return calls.flatMap((call) => readLikeOap(call).map(({ entry }) => entry));
}

describe('cutting batches', () => {
  it('lets a partial batch leave after linger when nothing is on its way', async () => {
    const rig = await startWith();
    sendEvents(rig, 3);
    rig.run(LINGER_MS - 1, 1);
    assert.equal(rig.channel.calls.length, 0);
    rig.run(1, 1);
    assert.equal(rig.channel.calls.length, 1);
    assert.equal(rig.channel.calls[0]!.messages.length, 3);
  });

  it('lets a partial batch fill while another is on its way, but not beyond flush_time', async () => {
    const rig = await startWith({ sender: { flush_time: 300 } });
    rig.channel.all[0]!.decide = () => null;
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    sendEvents(rig, 2);
    rig.run(290);
    assert.equal(rig.channel.calls.length, 1);
    rig.run(10);
    assert.equal(rig.channel.calls.length, 2);
  });

  it('lets the rest leave at once when the batch before it is acknowledged', async () => {
    const rig = await startWith();
    rig.channel.all[0]!.decide = () => null;
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    sendEvents(rig, 2);
    rig.run(LINGER_MS);
    rig.channel.calls[0]!.answer(statusOf(0));
    assert.equal(rig.channel.calls.length, 2);
  });

  it('waits for flush_time when there are fewer than min_flush_events', async () => {
    const rig = await startWith({ sender: { min_flush_events: 5, flush_time: 200 } });
    sendEvents(rig, 4);
    rig.run(195);
    assert.equal(rig.channel.calls.length, 0);
    rig.run(5);
    assert.equal(rig.channel.calls.length, 1);
  });

  it('sends a full batch at once, by events and by bytes', async () => {
    const byEvents = await startWith({ sender: { max_buffer_size: 2 } });
    sendEvents(byEvents, 5);
    assert.deepEqual(
      byEvents.channel.calls.map((call) => call.messages.length),
      [2, 2],
    );
    const byBytes = await startWith({ sender: { max_batch_bytes: 150 } });
    sendEvents(byBytes, 12);
    byBytes.run(LINGER_MS);
    const sizes = byBytes.channel.calls.map((call) => call.messages.reduce((sum, bytes) => sum + bytes.length + 5, 0));
    assert.ok(sizes.length > 1 && sizes.every((size) => size <= 150), sizes.join(' '));
    assert.equal(entriesOf(byBytes.channel.calls).length, 12);
  });

  it('takes the defaults for a max_buffer_size or flush_time of 0', async () => {
    const rig = await startWith({ sender: { max_buffer_size: 0, flush_time: 0 } });
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 3);
  });

  it('has at most max_in_flight batches out, by default the larger of 4 and partition', async () => {
    for (const [partition, expected] of [
      [1, 4],
      [6, 6],
    ] as const) {
      const rig = await startWith({ sender: { max_buffer_size: 1 }, queueOptions: { partition } });
      rig.channel.all[0]!.decide = () => null;
      sendEvents(rig, 20);
      rig.run(LINGER_MS);
      assert.equal(rig.channel.calls.length, expected);
      assert.equal(rig.pipe.state.batchesOut, expected);
    }
  });

  it('makes no smaller batches of many partitions', async () => {
    const rig = await startWith({ queueOptions: { partition: 50 } });
    sendEvents(rig, 100);
    rig.run(LINGER_MS);
    assert.equal(rig.channel.calls.length, 1);
    assert.deepEqual(
      entriesOf(rig.channel.calls),
      Array.from({ length: 100 }, (_, index) => String(index)),
    );
  });

  it('tells the age of the oldest data, on its way or between two tries as well', async () => {
    const rig = await startWith();
    const age = (): number | undefined => rig.metrics.read('queue_oldest_age_seconds', { pipe: 'p' });
    rig.channel.all[0]!.decide = () => null;
    sendEvents(rig, 1);
    rig.run(3000);
    assert.equal(rig.pipe.state.batchesOut, 1);
    assert.equal(age(), 3);
    const failing = await startWith();
    failing.channel.all[0]!.decide = () => UNAVAILABLE;
    sendEvents(failing, 1);
    failing.run(7000);
    assert.equal(failing.metrics.read('queue_oldest_age_seconds', { pipe: 'p' }), 7);
  });

  it('is quiet when there is nothing to do', async () => {
    const rig = await startWith();
    sendEvents(rig, 3);
    rig.run(2000);
    assert.equal(rig.clock.pendingTimers, 0);
  });
});

describe('retrying', () => {
  it('goes to another endpoint at once, and counts possible duplicates', async () => {
    const rig = await startWith({ endpoints: 2 });
    rig.channel.all[0]!.decide = () => UNAVAILABLE;
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.deepEqual(
      rig.channel.all.map((endpoint) => endpoint.calls.length),
      [1, 1],
    );
    assert.deepEqual(entriesOf(rig.channel.all[1]!.calls), ['0', '1', '2']);
    assert.equal(rig.metrics.read('sender_retry_count', { pipe: 'p', cause: 'endpoint' }), 1);
    assert.equal(rig.metrics.read('sender_possible_duplicate_entries_count', { pipe: 'p' }), 3);
    assert.deepEqual(
      rig.channel.all.map((endpoint) => endpoint.outcomes),
      [[OUTCOME.endpointFailed], [OUTCOME.ok]],
    );
    rig.assertEmpty();
  });

  it('counts no duplicates when the endpoint certainly did nothing', async () => {
    const rig = await startWith({ endpoints: 2 });
    rig.channel.all[0]!.decide = () => statusOf(14, { isLocal: true, isUnprocessed: true });
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.equal(rig.metrics.read('sender_possible_duplicate_entries_count', { pipe: 'p' }), 0);
  });

  it('backs off, longer each round, while every endpoint fails, and loses nothing', async () => {
    const rig = await startWith({ endpoints: 2 });
    for (const endpoint of rig.channel.all) endpoint.decide = () => UNAVAILABLE;
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.equal(rig.channel.calls.length, 2);
    rig.run(300);
    assert.equal(rig.channel.calls.length, 2);
    rig.run(400);
    assert.equal(rig.channel.calls.length, 4);
    rig.run(550);
    assert.equal(rig.channel.calls.length, 4);
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(0);
    rig.run(6000);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 3);
    rig.assertEmpty();
  });

  it('waits without a timer while no endpoint is there, and goes on when one is', async () => {
    const rig = await startWith({ endpoints: 0 });
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.state.batchesWaiting, 1);
    assert.equal(rig.clock.pendingTimers, 0);
    rig.channel.add();
    rig.channel.wake();
    rig.run(0);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 3);
  });

  it('waits for the next free slot when the one it was leased goes away', async () => {
    const rig = await startWith();
    const [endpoint] = rig.channel.all;
    endpoint!.losesSlot = true;
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.deepEqual([rig.channel.calls.length, rig.pipe.state.batchesWaiting], [0, 1]);
    endpoint!.losesSlot = false;
    rig.channel.wake();
    rig.run(0);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 3);
    assert.deepEqual(endpoint!.outcomes, [OUTCOME.neutral, OUTCOME.ok]);
    rig.assertEmpty();
  });

  it('gives a batch up after max_elapsed, as one failure of each event', async () => {
    const rig = await startWith({ sender: { retry: { max_elapsed: '2s' } } });
    rig.channel.all[0]!.decide = () => UNAVAILABLE;
    sendEvents(rig, 3);
    rig.run(10_000);
    assert.equal(rig.pipe.ledger.snapshot().dropped.retry_expired?.entries, 3);
    assert.equal(rig.metrics.read('sender_output_count', { pipe: 'p', status: 'failure', type: 'EnvoyALSV3Type' }), 3);
    rig.assertEmpty();
  });

  it('takes the first failure for final when retry is off', async () => {
    const rig = await startWith({ endpoints: 2, sender: { retry: { enabled: false } } });
    rig.channel.all[0]!.decide = () => UNAVAILABLE;
    sendEvents(rig, 3);
    rig.run(LINGER_MS);
    assert.equal(rig.channel.calls.length, 1);
    assert.equal(rig.pipe.ledger.snapshot().dropped.retry_expired?.events, 3);
  });

  it('asks the fallbacker only after the final failure', async () => {
    const rig = await startWith({ fallbacker: 'timer-fallbacker', sender: { retry: { enabled: false } } });
    let failures = 2;
    rig.channel.all[0]!.decide = () => (failures-- > 0 ? UNAVAILABLE : statusOf(0));
    sendEvents(rig, 1);
    rig.run(LINGER_MS + 1990);
    assert.equal(rig.channel.calls.length, 1);
    rig.run(20);
    assert.equal(rig.channel.calls.length, 2);
    rig.run(4010);
    assert.equal(rig.channel.calls.length, 3);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
    rig.assertEmpty();
  });

  it('drops with its reason when the fallbacker has no more tries', async () => {
    const rig = await startWith({ fallbacker: 'timer-fallbacker', sender: { retry: { enabled: false } } });
    rig.channel.all[0]!.decide = () => UNAVAILABLE;
    sendEvents(rig, 1);
    rig.run(20_000);
    assert.equal(rig.channel.calls.length, 3);
    assert.equal(rig.pipe.ledger.snapshot().dropped.retry_expired?.events, 1);
  });
});

describe("an endpoint's own fault", () => {
  it('tries the others when one does not implement the method', async () => {
    const rig = await startWith({ endpoints: 2 });
    rig.channel.all[0]!.decide = () => statusOf(12);
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
    assert.deepEqual(rig.channel.all[0]!.outcomes, [OUTCOME.neutral]);
  });

  it('drops by name what nobody implements', async () => {
    const rig = await startWith({ endpoints: 2 });
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(12);
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.ledger.snapshot().dropped.unimplemented?.events, 1);
    rig.assertEmpty();
  });

  it('waits a while for endpoints that are not ready before it takes the others for all', async () => {
    const rig = await startWith({ endpoints: 2 });
    const [old, upgraded] = rig.channel.all;
    old!.decide = () => statusOf(12);
    upgraded!.isReady = false;
    sendEvents(rig, 1, 'early');
    rig.run(500);
    upgraded!.isReady = true;
    rig.channel.wake();
    rig.run(3000);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);

    upgraded!.isReady = false;
    sendEvents(rig, 1, 'late');
    rig.run(10_000);
    assert.equal(rig.pipe.ledger.snapshot().dropped.unimplemented?.events, 1);
    rig.assertEmpty();
  });

  it('keeps holding when no endpoint is there at the time of the try', async () => {
    const rig = await startWith();
    const [endpoint] = rig.channel.all;
    endpoint!.decide = () => statusOf(7);
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    endpoint!.isReady = false;
    rig.run(31_000, 100);
    endpoint!.isReady = true;
    endpoint!.decide = () => statusOf(0);
    rig.channel.wake();
    rig.run(20_000, 100);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 0);
    rig.run(11_000, 100);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
    rig.assertEmpty();
  });

  it('does not wait for the next try when a backend comes that has not refused the token', async () => {
    const rig = await startWith({ endpoints: 2, sender: { max_buffer_size: 1 } });
    const [strict, absent] = rig.channel.all as [FakeEndpoint, FakeEndpoint];
    strict.decide = () => statusOf(16);
    absent.isReady = false;
    sendEvents(rig, 10);
    rig.run(20_000, 100);
    const before = strict.calls.length;
    absent.isReady = true;
    rig.channel.wake();
    rig.run(1000);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 10);
    assert.ok(strict.calls.length - before <= 10);
    rig.assertEmpty();
  });

  it('goes on holding when the probe finds a backend that has no slot', async () => {
    const rig = await startWith({ endpoints: 2, sender: { max_buffer_size: 1 } });
    const [strict, busy] = rig.channel.all as [FakeEndpoint, FakeEndpoint];
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(16);
    sendEvents(rig, 10);
    rig.run(1000);
    busy.slots = 0;
    rig.run(40_000, 100);
    busy.slots = Infinity;
    strict.decide = () => statusOf(0);
    busy.decide = () => statusOf(0);
    rig.run(61_000, 100);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 10);
    rig.assertEmpty();
  });

  it('counts against a backend that refuses the token while others take it', async () => {
    const rig = await startWith({ endpoints: 2 });
    const [strict] = rig.channel.all as [FakeEndpoint, FakeEndpoint];
    strict.decide = () => statusOf(16);
    sendEvents(rig, 1);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
    assert.deepEqual(strict.outcomes, [OUTCOME.endpointFailed]);
  });

  it('holds all data while every backend refuses the token, with one try in 30 s', async () => {
    const rig = await startWith({ endpoints: 2, sender: { max_buffer_size: 1 } });
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(16);
    sendEvents(rig, 10);
    rig.run(LINGER_MS);
    const before = rig.channel.calls.length;
    rig.run(29_000, 100);
    assert.equal(rig.channel.calls.length, before);
    rig.run(2000);
    assert.equal(rig.channel.calls.length, before + 2, 'one batch, both endpoints');
    for (const { outcomes } of rig.channel.all) {
      assert.equal(outcomes.at(-1), OUTCOME.neutral, 'what all refuse is the fault of none');
    }
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(0);
    rig.run(31_000, 100);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 10);
    rig.assertEmpty();
  });
});

describe("the data's fault", () => {
  it('is not believed of backends that say so of everything while another is ready', async () => {
    const rig = await startWith({ endpoints: 3 });
    for (const rogue of rig.channel.all.slice(0, 2)) rogue.decide = () => statusOf(13);
    sendEvents(rig, 5);
    rig.run(60_000, 50);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 5);
    rig.assertEmpty();
  });

  const POISON = 'poison';
  const refusePoison =
    (code: number, message = '') =>
    (call: FakeClientCall) =>
      statusOf(entriesOf([call]).includes(POISON) ? code : 0, { message });

  function sendPoisoned(rig: PipeRig, count: number, at: number): void {
    const stream = rig.registry.open(ALS_PATH);
    for (let index = 0; index < count; index++) {
      const entry = index === at ? POISON : String(index);
      stream.send(encodeAls([entry], index === 0 ? { identifier: A } : {}));
    }
    stream.halfClose();
    rig.run(60_000, 50);
  }

  for (const limitCount of [1, 100]) {
    it(`isolates the one message that a backend refuses, ${limitCount} a window`, async () => {
      for (const [code, message] of [
        [3, ''],
        [11, ''],
        [15, ''],
        [8, 'grpc: received message larger than max'],
      ] as const) {
        const rig = await startWith({ endpoints: 2, receiverOptions: { limit_count: limitCount } });
        for (const endpoint of rig.channel.all) endpoint.decide = refusePoison(code, message);
        sendPoisoned(rig, 20, 13);
        const { delivered, dropped } = rig.pipe.ledger.snapshot();
        assert.equal(delivered.entries, 19);
        assert.deepEqual(Object.keys(dropped), ['rejected']);
        assert.equal(dropped.rejected?.messages, 1);
        assert.equal(dropped.rejected.events, 1);
        const acknowledged = rig.channel.calls.filter((call) => !entriesOf([call]).includes(POISON));
        for (const { nodeId } of acknowledged.flatMap((call) => readLikeOap(call))) assert.equal(nodeId, 'a');
        assert.equal(entriesOf(acknowledged).length, 19);
        rig.assertEmpty();
      }
    });
  }

  it('believes INTERNAL and UNKNOWN only from several endpoints', async () => {
    for (const code of [13, 2]) {
      const rig = await startWith({ endpoints: 3 });
      rig.channel.all[0]!.decide = () => statusOf(code);
      sendEvents(rig, 4);
      rig.run(1000);
      assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 4, 'one endpoint alone');

      const agreed = await startWith({ endpoints: 3 });
      for (const endpoint of agreed.channel.all) endpoint.decide = refusePoison(code);
      sendPoisoned(agreed, 8, 0);
      assert.equal(agreed.pipe.ledger.snapshot().dropped.rejected?.messages, 1);
      assert.equal(agreed.pipe.ledger.snapshot().delivered.entries, 7);
      agreed.assertEmpty();
    }
  });

  it('believes INTERNAL of a lone endpoint when it comes back', async () => {
    const rig = await startWith();
    rig.channel.all[0]!.decide = refusePoison(13);
    sendPoisoned(rig, 4, 2);
    assert.equal(rig.pipe.ledger.snapshot().dropped.rejected?.messages, 1);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 3);
  });

  it('retries a RESOURCE_EXHAUSTED that does not speak of sizes', async () => {
    const rig = await startWith({ endpoints: 2 });
    rig.channel.all[0]!.decide = () => statusOf(8, { message: 'Watermark exceeded' });
    sendEvents(rig, 4);
    rig.run(LINGER_MS);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 4);
  });
});

describe('a call that does not come back', () => {
  it('is given up when its connection makes no progress with bytes unsent', async () => {
    const rig = await startWith({ endpoints: 2 });
    const [stuck, other] = rig.channel.all;
    stuck!.decide = () => null;
    stuck!.unsentBytes = 1000;
    sendEvents(rig, 1);
    rig.run(9900, 100);
    assert.equal(other!.calls.length, 0);
    rig.run(400, 100);
    assert.match(stuck!.calls[0]!.cancelReason!, /progress/);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
  });

  it('is left alone while its connection makes progress', async () => {
    const rig = await startWith({ endpoints: 2 });
    const [slow] = rig.channel.all;
    slow!.decide = () => null;
    slow!.unsentBytes = 1000;
    sendEvents(rig, 1);
    for (let second = 0; second < 60; second++) {
      rig.run(1000, 100);
      slow!.lastProgressMs = rig.clock.now();
    }
    assert.equal(slow!.calls[0]!.isEnded, false);
  });

  it('is given up when the answer has not come in timeout.stream after the last byte', async () => {
    const rig = await startWith({ endpoints: 2 });
    rig.channel.all[0]!.decide = () => null;
    sendEvents(rig, 1);
    rig.run(19_900, 100);
    assert.equal(rig.channel.all[1]!.calls.length, 0);
    rig.run(500, 100);
    assert.match(rig.channel.all[0]!.calls[0]!.cancelReason!, /answer/);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 1);
    rig.assertEmpty();
  });
});
