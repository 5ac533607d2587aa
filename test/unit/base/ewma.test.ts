import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ewma } from '../../../src/base/index.js';

const HALF_LIFE_MS = 1_000;

test('starts at its first sample and has no value before it', () => {
  const ewma = new Ewma(HALF_LIFE_MS);
  assert.equal(ewma.hasValue, false);
  assert.equal(ewma.value, 0);
  ewma.add(42, 5);
  assert.equal(ewma.hasValue, true);
  assert.equal(ewma.value, 42);
});

test('the weight of the past halves in one half-life, at any rate of samples', () => {
  for (const perSecond of [1, 10, 1_000]) {
    const ewma = new Ewma(HALF_LIFE_MS);
    const gapMs = 1_000 / perSecond;
    let nowMs = 0;
    for (; nowMs < 20_000; nowMs += gapMs) ewma.add(100, nowMs);
    for (; nowMs < 20_000 + HALF_LIFE_MS; nowMs += gapMs) ewma.add(0, nowMs);
    assert.ok(Math.abs(ewma.value - 50) < 1, `${String(perSecond)}/s: ${String(ewma.value)}`);
  }
});

test('samples of one instant count alike', () => {
  const ewma = new Ewma(HALF_LIFE_MS);
  for (const sample of [10, 20, 30, 40]) ewma.add(sample, 0);
  assert.equal(ewma.value, 25);
});

test('after a long silence the next sample is all that counts', () => {
  const ewma = new Ewma(HALF_LIFE_MS);
  for (let count = 0; count < 100; count++) ewma.add(1, count);
  ewma.add(1_000, 1e9);
  assert.equal(ewma.value, 1_000);
});

test('a clock that jumps back counts as standing still', () => {
  const ewma = new Ewma(HALF_LIFE_MS);
  ewma.add(10, 5_000);
  ewma.add(20, 1_000);
  assert.equal(ewma.value, 15);
  ewma.add(15, 5_000);
  assert.equal(ewma.value, 15);
});

test('reset puts one value in the place of all samples', () => {
  const ewma = new Ewma(HALF_LIFE_MS);
  for (let count = 0; count < 100; count++) ewma.add(1, count);
  ewma.reset(7, 200);
  assert.equal(ewma.value, 7);
  ewma.add(9, 200);
  assert.equal(ewma.value, 8);
});

test('stays between the least and the greatest sample', () => {
  const sample = fc.record({ value: fc.double({ min: -1e6, max: 1e6, noNaN: true }), gap: fc.nat({ max: 10_000 }) });
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 100 }), (samples) => {
      const ewma = new Ewma(HALF_LIFE_MS);
      let nowMs = 0;
      for (const { value, gap } of samples) ewma.add(value, (nowMs += gap));
      const values = samples.map(({ value }) => value);
      assert.ok(ewma.value >= Math.min(...values) - 1e-6 && ewma.value <= Math.max(...values) + 1e-6);
    }),
  );
});
