import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Backoff, createSeededRandom } from '../../../src/base/index.js';

const SETTINGS = { initialMs: 100, maxMs: 1_500, factor: 2, jitterRatio: 0.2 };
const noJitter = (): number => 0.5;

test('grows by its factor up to its maximum', () => {
  const backoff = new Backoff(SETTINGS, noJitter);
  const delays = Array.from({ length: 7 }, () => backoff.nextMs());
  assert.deepEqual(delays, [100, 200, 400, 800, 1_500, 1_500, 1_500]);
});

test('begins anew after reset', () => {
  const backoff = new Backoff(SETTINGS, noJitter);
  backoff.nextMs();
  backoff.nextMs();
  backoff.reset();
  assert.equal(backoff.nextMs(), SETTINGS.initialMs);
});

test('jitter stays within its share of the delay, and uses all of it', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 50 }), (seed, attempts) => {
      const jittered = new Backoff(SETTINGS, createSeededRandom(seed));
      const plain = new Backoff(SETTINGS, noJitter);
      for (let attempt = 0; attempt < attempts; attempt++) {
        const ratio = jittered.nextMs() / plain.nextMs();
        assert.ok(ratio >= 1 - SETTINGS.jitterRatio && ratio <= 1 + SETTINGS.jitterRatio);
      }
    }),
  );
  assert.equal(new Backoff(SETTINGS, () => 0).nextMs(), 80);
});

test('an initial delay above the maximum is cut to it', () => {
  assert.equal(new Backoff({ ...SETTINGS, initialMs: 9_999 }, noJitter).nextMs(), SETTINGS.maxMs);
});
