/** What comes out of a pipe when its backends return: a whole pipe over the real balancer and simulated OAPs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../src/base/index.js';
import { encodeAls, encodeIdentifier } from '../support/als.js';
import { ALS_PATH, PipeRig } from '../support/pipe-rig.js';
import { makeTemporaryFolder } from '../support/temporary.js';
import { FakeNetwork, resolved } from '../unit/core/balance/fake-oap.js';
import { createChannel } from '../unit/core/balance/rig.js';

const OAPS = ['10.0.0.1:11800', '10.0.0.2:11800', '10.0.0.3:11800'];
const EVENTS = 2000;
const BATCH_EVENTS = 10;
/** Longest wait between two tries to connect, and to send. */
const BACKOFF_MS = 5000 * 1.2;

describe('a backlog, when all OAPs are back', () => {
  for (const [name, queueOptions] of [
    ['memory-queue', {}],
    ['mmap-queue', { directory: makeTemporaryFolder() }],
  ] as const) {
    it(`goes out at the pace at which they answer, ${name}`, async (t) => {
      const random = createSeededRandom(11);
      let network: FakeNetwork | null = null;
      const rig = await PipeRig.start({
        receiverOptions: { limit_count: 1 },
        sender: { max_buffer_size: BATCH_EVENTS },
        queue: name,
        queueOptions,
        createChannel: (clock) => {
          network = new FakeNetwork(clock, random);
          for (const label of OAPS) network.add(label, { isDown: true, callMs: 500 });
          const channel = createChannel(clock, random, network);
          channel.start({ start: (listener) => listener(OAPS.map(resolved)), close: () => undefined }, null);
          return channel;
        },
      });
      t.after(() => rig.pipe.close());
      const oaps = [...network!.oaps.values()];
      const stream = rig.registry.open(ALS_PATH);
      for (let event = 0; event < EVENTS; event++) {
        stream.send(
          encodeAls([`entry ${event}`], event === 0 ? { identifier: encodeIdentifier({ nodeId: 'a' }) } : {}),
        );
      }
      rig.run(60_000, 100);
      for (const oap of oaps) oap.behaviour.isDown = false;
      rig.run(BACKOFF_MS, 100);
      for (const { label, openAtCall } of oaps) {
        assert.ok(openAtCall.length > 0, `${label} is back`);
        // One at first; in the time of its answer, none else. Then one more with each answer.
        assert.deepEqual(openAtCall.slice(0, 3), [1, 1, 2], label);
        for (const [index, open] of openAtCall.entries()) assert.ok(open <= index + 1);
      }
      rig.run(60_000, 100);
      assert.equal(rig.pipe.ledger.snapshot().delivered.entries, EVENTS);
      assert.equal(
        oaps.reduce((sum, { calls }) => sum + calls, 0),
        EVENTS / BATCH_EVENTS,
        'each batch went out once',
      );
      for (const { openAtCall } of oaps) assert.ok(Math.max(...openAtCall) <= 4 * OAPS.length);
    });
  }
});
