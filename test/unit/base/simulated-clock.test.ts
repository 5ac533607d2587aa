import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SimulatedClock } from '../../../src/base/index.js';

test('timers run in order of due time, then of creation, and see exactly that time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 }), { maxLength: 30 }), fc.nat({ max: 9 }), (delays, step) => {
      const clock = new SimulatedClock(1_000);
      const ran: { index: number; atMs: number }[] = [];
      delays.forEach((delayMs, index) => {
        clock.setTimer(delayMs, () => ran.push({ index, atMs: clock.now() }));
      });
      while (clock.pendingTimers > 0) clock.advance(step + 1);
      const expected = delays
        .map((delayMs, index) => ({ index, atMs: 1_000 + delayMs }))
        .sort((left, right) => left.atMs - right.atMs || left.index - right.index);
      assert.deepEqual(ran, expected);
    }),
  );
});

test('a timer set by a callback runs in the same advance when it falls due', () => {
  const clock = new SimulatedClock();
  const ran: number[] = [];
  clock.setTimer(10, () => {
    ran.push(clock.now());
    clock.setTimer(10, () => ran.push(clock.now()));
  });
  clock.advance(20);
  assert.deepEqual(ran, [10, 20]);
});

test('a cancelled timer does not run, and cancelling twice is harmless', () => {
  const clock = new SimulatedClock();
  const timer = clock.setTimer(10, () => assert.fail('was cancelled'));
  timer.cancel();
  timer.cancel();
  clock.advance(100);
  assert.equal(clock.pendingTimers, 0);
});

test('never goes back, not even when a callback advances it', () => {
  const clock = new SimulatedClock();
  clock.setTimer(10, () => {
    clock.advance(1_000);
  });
  clock.advance(20);
  assert.equal(clock.now(), 1_010);
});

test('wall time runs along with its own start', () => {
  const clock = new SimulatedClock(5, 1_000_000);
  clock.advance(250);
  assert.equal(clock.now(), 255);
  assert.equal(clock.wallNow(), 1_000_250);
});
