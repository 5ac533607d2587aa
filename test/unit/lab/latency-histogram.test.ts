import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from '../../../src/lab/latency-histogram.js';

test('percentiles are exact to a millisecond below one second', () => {
  const histogram = new LatencyHistogram();
  for (let ms = 1; ms <= 100; ms++) histogram.record(ms);
  assert.equal(histogram.percentile(0.5), 50);
  assert.equal(histogram.percentile(0.99), 99);
  assert.equal(histogram.percentile(1), 100);
});

test('nothing recorded is zero, clocks that disagree are zero, and an age is cut at the limit', () => {
  const histogram = new LatencyHistogram();
  assert.equal(histogram.percentile(0.5), 0);
  histogram.record(-5);
  assert.equal(histogram.percentile(0.5), 0);
  histogram.record(1e9);
  assert.equal(histogram.percentile(1), 120_000);
});

test('histograms of several processes add up', () => {
  const left = new LatencyHistogram();
  const right = new LatencyHistogram();
  left.record(10);
  right.record(20);
  right.record(5000);
  left.add(right.toCounts());
  assert.equal(left.count, 3);
  assert.equal(left.percentile(0.5), 20);
});
