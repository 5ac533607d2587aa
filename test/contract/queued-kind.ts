/** What every receiver of a queued kind must do together with its forwarder, whatever the backend answers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../src/base/index.js';
import { statusOf } from '../support/channel.js';
import type { FakeClientCall } from '../support/channel.js';
import { PipeRig } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';

export interface QueuedKind {
  readonly receiver: string;
  readonly forwarder: string;
  /** Where the source calls. */
  readonly path: string;
  /** A message of `source` that carries `text`; `isFirst` in its stream. */
  encode(source: string, text: string, isFirst: boolean): Uint8Array;
  /** What a backend understands of a call, as `source:text`. */
  read(call: FakeClientCall): string[];
}

const SOURCES = ['alpha', 'beta', 'gamma'];
const MESSAGES = 30;
const GENEROUS_MS = 60_000;

export function testQueuedKind(kind: QueuedKind): void {
  describe(`${kind.receiver} with ${kind.forwarder}`, () => {
    async function start(options: RigOptions = {}): Promise<PipeRig> {
      return PipeRig.start({
        receiver: kind.receiver,
        forwarder: kind.forwarder,
        receiverOptions: { limit_count: 3 },
        endpoints: 3,
        ...options,
      });
    }

    /** Streams of all sources, interleaved; some end, some are cut. */
    function send(rig: PipeRig): string[] {
      const streams = SOURCES.map(() => rig.registry.open(kind.path));
      const sent: string[] = [];
      for (let index = 0; index < MESSAGES; index++) {
        SOURCES.forEach((source, at) => {
          streams[at]!.send(kind.encode(source, String(index), index === 0));
          sent.push(`${source}:${index}`);
        });
        rig.run(10);
      }
      streams.forEach((stream, at) => (at === 0 ? stream.cancel() : stream.halfClose()));
      return sent.sort();
    }

    function watch(rig: PipeRig): string[] {
      const delivered: string[] = [];
      rig.channel.onAnswer = (call, status) => {
        if (status.code === 0) delivered.push(...kind.read(call));
      };
      return delivered;
    }

    it('delivers each message once, to the backend and source it belongs to', async () => {
      const rig = await start();
      const delivered = watch(rig);
      const sent = send(rig);
      rig.run(2000);
      assert.deepEqual(delivered.sort(), sent);
      rig.assertEmpty();
    });

    it('loses nothing to failures that pass', async () => {
      const rig = await start();
      const delivered = watch(rig);
      for (const [index, endpoint] of rig.channel.all.entries()) {
        endpoint.decide = () => statusOf(rig.clock.now() < 3000 + index * 500 ? 14 : 0);
      }
      const sent = send(rig);
      rig.run(GENEROUS_MS, 50);
      assert.deepEqual(delivered.sort(), sent);
      rig.assertEmpty();
    });

    it('drops with a reason what nobody implements or accepts', async () => {
      for (const [code, reason] of [
        [12, 'unimplemented'],
        [3, 'rejected'],
      ] as const) {
        const rig = await start();
        for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(code);
        const sent = send(rig);
        rig.run(GENEROUS_MS, 50);
        const { dropped } = rig.pipe.ledger.snapshot();
        assert.deepEqual(Object.keys(dropped), [reason]);
        assert.equal(dropped[reason]?.messages, sent.length);
        rig.assertEmpty();
      }
    });

    it('balances its books when backends answer at random', async () => {
      const random = createSeededRandom(99);
      const codes = [0, 0, 0, 1, 4, 8, 14, 14];
      const rig = await start();
      const delivered = watch(rig);
      for (const endpoint of rig.channel.all) {
        endpoint.decide = () => statusOf(codes[Math.floor(random() * codes.length)]!);
      }
      const sent = send(rig);
      rig.run(GENEROUS_MS, 50);
      assert.deepEqual(delivered.sort(), sent);
      rig.assertEmpty();
    });

    it('sends calls of one method only, and half-closes each', async () => {
      const rig = await start();
      send(rig);
      rig.run(2000);
      assert.equal(new Set(rig.channel.calls.map((call) => call.path)).size, 1);
      assert.ok(rig.channel.calls.every((call) => call.isHalfClosed));
    });
  });
}
