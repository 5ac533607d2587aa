import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../../../src/base/index.js';
import { EndpointLoad } from '../../../../src/core/balance/endpoint-load.js';
import type { OutstandingBatch } from '../../../../src/core/balance/endpoint-load.js';
import { meanSpeed, pick, weigh } from '../../../../src/core/balance/picker.js';

const BATCH = 100_000;
const first = (): number => 0;

function batch(bytes: number, startedMs: number): OutstandingBatch {
  return { bytes, startedMs, previous: null, next: null };
}

/** A load that has served `calls` batches in `callMs` each, settled. */
function served(calls: number, callMs: number): EndpointLoad {
  const load = new EndpointLoad();
  for (let call = 0; call < calls; call++) load.speed.learn(BATCH, callMs, 0);
  return load;
}

function give(load: EndpointLoad, bytes: number, nowMs: number): void {
  const given = batch(bytes, nowMs);
  load.begin(given);
  load.end(given);
}

describe('picker', () => {
  it('has no choice among none, and one among one', () => {
    assert.equal(pick([], BATCH, 0, first), -1);
    assert.equal(pick([new EndpointLoad()], BATCH, 0, first), 0);
  });

  it('gives idle equals their turn by bytes, whatever the size of the batches', () => {
    const random = createSeededRandom(7);
    const loads = [new EndpointLoad(), new EndpointLoad(), new EndpointLoad()];
    const sums = [0, 0, 0];
    let largest = 0;
    for (let nowMs = 0; nowMs < 10_000; nowMs += 10) {
      const bytes = Math.floor(random() * random() * 1e6) + 1;
      largest = Math.max(largest, bytes);
      const index = pick(loads, bytes, nowMs, random);
      sums[index]! += bytes;
      give(loads[index]!, bytes, nowMs);
    }
    assert.ok(Math.max(...sums) - Math.min(...sums) <= 2 * largest);
  });

  it('leaves out one that has much more in flight than the others', () => {
    const loads = [new EndpointLoad(), new EndpointLoad()];
    loads[0]!.begin(batch(BATCH, 0));
    give(loads[1]!, BATCH * 5, 0);
    assert.equal(pick(loads, BATCH, 0, first), 1);
  });

  it('settles small differences in flight by the recent share', () => {
    const loads = [new EndpointLoad(), new EndpointLoad()];
    for (let count = 0; count < 10; count++) for (const load of loads) load.begin(batch(BATCH, 0));
    loads[0]!.begin(batch(BATCH, 0));
    give(loads[1]!, BATCH * 5, 0);
    assert.equal(pick(loads, BATCH, 0, first), 0);
  });

  it('takes one within the usual spread of speed for an equal', () => {
    const loads = [served(10, 20), served(10, 26)];
    const speed = meanSpeed(loads);
    assert.deepEqual(
      loads.map((load) => weigh(load, speed)),
      [1, 1],
    );
  });

  it('gives a slower one less in proportion, and never nothing', () => {
    const random = createSeededRandom(3);
    const loads = [served(100, 20), served(100, 20), served(100, 20), served(100, 100), served(100, 1e6)];
    const counts = [0, 0, 0, 0, 0];
    for (let nowMs = 0; nowMs < 20_000; nowMs += 10) {
      const index = pick(loads, BATCH, nowMs, random);
      counts[index]!++;
      give(loads[index]!, BATCH, nowMs);
    }
    assert.ok(counts[3]! < counts[0]! / 1.5, counts.join());
    assert.ok(counts[4]! > 0);
    assert.ok(counts[4]! < counts[3]!);
  });

  it('does not take the round trip of tiny calls for slowness', () => {
    const [large, tiny] = [new EndpointLoad(), new EndpointLoad()];
    large.speed.learn(1e6, 25, 0);
    for (let count = 0; count < 50; count++) tiny.speed.learn(200, 1, 0);
    assert.ok(weigh(tiny, meanSpeed([large, tiny])) < 2);
  });

  it('begins at random between exact equals, so that processes do not start alike', () => {
    const random = createSeededRandom(1);
    const chosen = new Set<number>();
    for (let count = 0; count < 100; count++) {
      chosen.add(pick([new EndpointLoad(), new EndpointLoad(), new EndpointLoad()], BATCH, 0, random));
    }
    assert.equal(chosen.size, 3);
  });
});

describe('load of an endpoint', () => {
  it('knows its oldest batch, in whatever order they end', () => {
    const load = new EndpointLoad();
    const batches = [1, 2, 3].map((startedMs) => batch(BATCH, startedMs));
    for (const item of batches) load.begin(item);
    load.end(batches[1]!);
    assert.equal(load.oldestBatch, batches[0]);
    load.end(batches[0]!);
    assert.equal(load.oldestBatch, batches[2]);
    load.end(batches[2]!);
    assert.equal(load.oldestBatch, null);
    assert.equal(load.inFlightBytes, 0);
    assert.equal(load.inFlightBatches, 0);
  });

  it('forgets what it was given by half in 10 s', () => {
    const load = new EndpointLoad();
    give(load, 1_000, 0);
    assert.equal(Math.round(load.givenBytes(10_000)), 500);
    assert.equal(Math.round(load.givenBytes(20_000)), 250);
  });

  it('joins at the mean of the others, in share and in speed', () => {
    const others = [served(10, 20), served(10, 40)];
    give(others[0]!, 3_000, 0);
    give(others[1]!, 1_000, 0);
    const load = new EndpointLoad();
    load.join(others, 1, 0);
    assert.equal(load.givenBytes(0), 2_000);
    assert.ok(Math.abs(load.speed.msPerByte - (others[0]!.speed.msPerByte + others[1]!.speed.msPerByte) / 2) < 1e-9);
  });

  it('is not defined by a cold first call after it joined', () => {
    const others = [served(50, 20), served(50, 20)];
    const load = new EndpointLoad();
    load.join(others, 1, 0);
    load.speed.learn(BATCH, 500, 0);
    assert.equal(weigh(load, meanSpeed([...others, load])), 1);
  });

  it('keeps its own past when it joins again, but is owed nothing for its absence', () => {
    const load = served(10, 80);
    const others = [served(10, 20)];
    give(others[0]!, 5_000, 0);
    const before = load.speed.msPerByte;
    load.join(others, 2, 0);
    assert.equal(load.speed.msPerByte, before);
    assert.equal(load.givenBytes(0), 2_500);
  });

  it('joins alone without others', () => {
    const load = new EndpointLoad();
    load.join([], 1, 0);
    assert.equal(load.givenBytes(0), 0);
    assert.equal(load.speed.msPerByte, 0);
  });
});
