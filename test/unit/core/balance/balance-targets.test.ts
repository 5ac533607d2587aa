/** The promises of balancing, as numbers, with simulated OAPs under a simulated clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchSender, entriesByEndpoint, Fleet, Rig, worstMaxOverMean } from './rig.js';
import type { Delivery } from './rig.js';

const FLEET = { sources: 150, zipf: 1.2, entriesPerSecond: 25_000, entryBytes: 1_200 };
const SEEDS = [1, 2, 3];

function latencies(
  deliveries: readonly Delivery[],
  endpoints: ReadonlySet<string>,
  fromMs: number,
  toMs: number,
): number[] {
  return deliveries
    .filter((item) => item.isOk && endpoints.has(item.endpoint) && item.startedMs >= fromMs && item.startedMs < toMs)
    .map((item) => item.endedMs - item.createdMs)
    .sort((a, b) => a - b);
}

function quantile(sorted: readonly number[], ratio: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * ratio))]!;
}

describe('balance over simulated OAPs', () => {
  for (const seed of SEEDS) {
    it(`keeps max/mean of entries within 1.05 in any 10 s with equal OAPs and Zipf sources (seed ${seed})`, () => {
      const rig = new Rig(seed);
      rig.join(4);
      const sender = new BatchSender(rig);
      new Fleet(rig, sender, FLEET).run(40_000);
      const worst = worstMaxOverMean(sender.deliveries, 4, 0, 40_000, 10_000);
      assert.ok(worst <= 1.05, `max/mean ${worst}`);
    });

    it(`keeps max/mean within 1.05 when the OAPs are nearly saturated (seed ${seed})`, () => {
      const rig = new Rig(seed);
      rig.join(4, { megabyteMs: 400, workers: 4, jitterRatio: 0.8 });
      const sender = new BatchSender(rig);
      new Fleet(rig, sender, FLEET).run(40_000);
      const worst = worstMaxOverMean(sender.deliveries, 4, 0, 40_000, 10_000);
      assert.ok(worst <= 1.05, `max/mean ${worst}`);
    });

    it(`gives a fifth OAP its share within 10 s and never a flood (seed ${seed})`, () => {
      const rig = new Rig(seed);
      rig.join(4);
      const sender = new BatchSender(rig);
      const fleet = new Fleet(rig, sender, FLEET);
      fleet.run(20_000);
      const [fifth] = rig.join(1);
      const joinedMs = rig.clock.now();
      fleet.run(20_000);
      const fair = (FLEET.entriesPerSecond / 5) * 10;
      const got = (fromMs: number, spanMs: number): number =>
        entriesByEndpoint(sender.deliveries, joinedMs + fromMs, joinedMs + fromMs + spanMs).get(fifth!.label) ?? 0;
      assert.ok(got(0, 10_000) >= 0.9 * fair, `share ${got(0, 10_000) / fair}`);
      for (let second = 0; second < 19; second++) {
        const share = got(second * 1_000, 1_000) / (fair / 10);
        assert.ok(share <= 1.2, `share ${share} in second ${second}`);
      }
    });

    it(`gives an OAP that died slow and comes back fresh its share, and never a flood (seed ${seed})`, () => {
      const rig = new Rig(seed);
      const [returning] = rig.join(3);
      const sender = new BatchSender(rig);
      const fleet = new Fleet(rig, sender, FLEET);
      fleet.run(20_000);
      const { callMs, megabyteMs } = returning!.behaviour;
      returning!.behaviour.callMs *= 8;
      returning!.behaviour.megabyteMs *= 8;
      fleet.run(5_000);
      returning!.kill();
      fleet.run(7_000);
      Object.assign(returning!.behaviour, { callMs, megabyteMs, isDown: false });
      const backMs = rig.clock.now();
      fleet.run(30_000);
      const isOfReturned = (item: Delivery): boolean => item.endpoint === returning!.label && item.startedMs >= backMs;
      const firstMs = sender.deliveries.find(isOfReturned)!.startedMs;
      const fair = FLEET.entriesPerSecond / 3;
      for (let second = 0; second < 12; second++) {
        const fromMs = firstMs + second * 1_000;
        const share = (entriesByEndpoint(sender.deliveries, fromMs, fromMs + 1_000).get(returning!.label) ?? 0) / fair;
        assert.ok(share <= 1.25, `share ${share} in second ${second}`);
        if (second >= 2) assert.ok(share >= 0.75, `share ${share} in second ${second}`);
      }
    });

    it(`gives a five times slower OAP less, and nobody else waits longer (seed ${seed})`, () => {
      const rig = new Rig(seed);
      const [slow, ...others] = rig.join(4);
      const sender = new BatchSender(rig);
      const fleet = new Fleet(rig, sender, FLEET);
      fleet.run(20_000);
      const changedMs = rig.clock.now();
      slow!.behaviour.callMs *= 5;
      slow!.behaviour.megabyteMs *= 5;
      fleet.run(20_000);
      const endMs = rig.clock.now();
      const entries = entriesByEndpoint(sender.deliveries, changedMs + 2_000, endMs - 1_000);
      const mean = others.reduce((sum, oap) => sum + entries.get(oap.label)!, 0) / others.length;
      const labels = new Set(others.map((oap) => oap.label));
      const before = latencies(sender.deliveries, labels, 5_000, changedMs);
      const after = latencies(sender.deliveries, labels, changedMs + 2_000, endMs);
      assert.ok(entries.get(slow!.label)! < 0.6 * mean);
      assert.ok(entries.get(slow!.label)! > 0, 'its recovery would not be seen');
      for (const ratio of [0.5, 0.99]) assert.ok(quantile(after, ratio) <= quantile(before, ratio) * 1.1 + 1);
    });

    it(`loses less than 5 % of tries to an OAP that refuses everything, after 2 s (seed ${seed})`, () => {
      const rig = new Rig(seed);
      const [refusing] = rig.join(4);
      const sender = new BatchSender(rig);
      const fleet = new Fleet(rig, sender, FLEET);
      fleet.run(10_000);
      refusing!.behaviour.refusesWith = 8;
      const changedMs = rig.clock.now();
      fleet.run(20_000);
      const late = sender.deliveries.filter((item) => item.startedMs >= changedMs + 2_000);
      const failed = late.filter((item) => !item.isOk);
      assert.ok(failed.length < 0.05 * late.length, `${failed.length} of ${late.length} failed`);
      assert.ok(failed.length <= 6, `${failed.length} probes in 18 s`);
      const inTime = sender.deliveries.filter((item) => item.isOk && item.startedMs >= changedMs + 2_000);
      const entries = inTime.reduce((sum, item) => sum + item.entries, 0);
      assert.ok(entries >= 0.95 * FLEET.entriesPerSecond * 18);
      refusing!.behaviour.refusesWith = 0;
      fleet.run(40_000);
      const shares = entriesByEndpoint(sender.deliveries, rig.clock.now() - 10_000, rig.clock.now());
      assert.ok(shares.get(refusing!.label)! >= 0.9 * ((FLEET.entriesPerSecond * 10) / 4) * 0.95, 'it is taken back');
    });

    it(`leaves few batches with an OAP that never answers (seed ${seed})`, () => {
      const rig = new Rig(seed);
      const [hanging] = rig.join(4);
      const sender = new BatchSender(rig);
      const fleet = new Fleet(rig, sender, FLEET);
      fleet.run(10_000);
      hanging!.behaviour.hangs = true;
      const callsBefore = hanging!.calls;
      const changedMs = rig.clock.now();
      fleet.run(9_000);
      assert.ok(hanging!.calls - callsBefore <= 8, `${hanging!.calls - callsBefore} batches`);
      fleet.run(51_000);
      // Later only probes: each waits for its ten seconds.
      assert.ok(hanging!.calls - callsBefore <= 16);
      const held = sender.deliveries.filter((item) => item.endpoint === hanging!.label && item.startedMs >= changedMs);
      assert.ok(held.length > 0);
    });
  }
});
