import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SimulatedClock, TimerWheel, WheelTimer } from '../../../src/base/index.js';

const TICK_MS = 100;
/** One turn of the hand. */
const ROUND_MS = 512 * TICK_MS;

test('fires once, never early and at most one tick late, whatever the phase of the clock', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 5_000, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 3 * ROUND_MS, noNaN: true }), { minLength: 1, maxLength: 20 }),
      fc.double({ min: 1, max: 400, noNaN: true }),
      (startMs, delays, gapMs) => {
        const clock = new SimulatedClock(startMs);
        const wheel = new TimerWheel(clock, TICK_MS);
        const fired: number[] = [];
        const dueTimes = delays.map((delayMs, index) => {
          const dueMs = clock.now() + delayMs;
          const timer = new WheelTimer(() => {
            assert.equal(fired[index], undefined, 'fired twice');
            fired[index] = clock.now();
          });
          wheel.arm(timer, delayMs);
          clock.advance(gapMs);
          return dueMs;
        });
        clock.advance(4 * ROUND_MS);
        dueTimes.forEach((dueMs, index) => {
          assert.ok(fired[index]! >= dueMs, `due ${String(dueMs)}, fired ${String(fired[index])}`);
          assert.ok(fired[index]! <= dueMs + TICK_MS + 1e-6, `due ${String(dueMs)}, fired ${String(fired[index])}`);
        });
        assert.equal(wheel.size, 0);
        assert.equal(clock.pendingTimers, 0);
      },
    ),
  );
});

test('keeps no clock timer while nothing is armed', () => {
  const clock = new SimulatedClock();
  const wheel = new TimerWheel(clock, TICK_MS);
  assert.equal(clock.pendingTimers, 0);
  const timer = new WheelTimer(() => undefined);
  wheel.arm(timer, 1_000);
  assert.equal(clock.pendingTimers, 1);
  wheel.disarm(timer);
  clock.advance(TICK_MS);
  assert.equal(clock.pendingTimers, 0);
});

test('moves a timer that is armed again, and forgets one that is disarmed', () => {
  const clock = new SimulatedClock(7);
  const wheel = new TimerWheel(clock, TICK_MS);
  let moved = 0;
  const mover = new WheelTimer(() => moved++);
  const dead = new WheelTimer(() => assert.fail('was disarmed'));
  wheel.arm(mover, 500);
  wheel.arm(dead, 500);
  wheel.arm(mover, 5_000);
  assert.equal(wheel.size, 2);
  wheel.disarm(dead);
  wheel.disarm(dead);
  assert.equal(dead.isArmed, false);
  clock.advance(4_900);
  assert.equal(moved, 0);
  clock.advance(300);
  assert.equal(moved, 1);
  assert.equal(mover.isArmed, false);
});

test('callbacks may disarm neighbours of the same slot and arm themselves again', () => {
  const clock = new SimulatedClock();
  const wheel = new TimerWheel(clock, TICK_MS);
  const log: string[] = [];
  const third = new WheelTimer(() => log.push('third'));
  const second = new WheelTimer(() => log.push('second'));
  const first = new WheelTimer(() => {
    log.push('first');
    wheel.disarm(second);
    if (log.length < 5) wheel.arm(first, 0);
  });
  wheel.arm(first, 50);
  wheel.arm(second, 50);
  wheel.arm(third, 50);
  clock.advance(TICK_MS);
  assert.deepEqual(log, ['first', 'third']);
  clock.advance(3 * TICK_MS);
  assert.deepEqual(log, ['first', 'third', 'first', 'first', 'first']);
  assert.equal(wheel.size, 0);
});

test('a callback that throws costs no other timer its turn', () => {
  const clock = new SimulatedClock();
  const wheel = new TimerWheel(clock, TICK_MS);
  let fired = 0;
  wheel.arm(new WheelTimer(() => assert.fail('broken callback')), 50);
  wheel.arm(new WheelTimer(() => fired++), 50);
  wheel.arm(new WheelTimer(() => fired++), 50 + ROUND_MS);
  assert.throws(() => {
    clock.advance(TICK_MS);
  }, /broken callback/);
  clock.advance(ROUND_MS + 2 * TICK_MS);
  assert.equal(fired, 2);
  assert.equal(wheel.size, 0);
});

test('looks at timers of later rounds once a round', () => {
  const clock = new SimulatedClock();
  const wheel = new TimerWheel(clock, TICK_MS);
  let fired = 0;
  for (let count = 0; count < 100; count++) wheel.arm(new WheelTimer(() => fired++), 2.5 * ROUND_MS);
  clock.advance(2 * ROUND_MS);
  assert.equal(fired, 0);
  assert.equal(wheel.size, 100);
  clock.advance(ROUND_MS);
  assert.equal(fired, 100);
});

test('catches up after the process was suspended for longer than a round', () => {
  const clock = new SimulatedClock();
  const suspended = { ...clockFunctions(clock), offsetMs: 0 };
  const wheel = new TimerWheel(suspended, TICK_MS);
  let fired = 0;
  for (let delayMs = 0; delayMs < ROUND_MS; delayMs += 333) wheel.arm(new WheelTimer(() => fired++), delayMs);
  const armed = wheel.size;
  suspended.offsetMs = 5 * ROUND_MS;
  clock.advance(TICK_MS);
  assert.equal(fired, armed);
});

/** A clock whose `now` can jump while its timers stand still. */
function clockFunctions(clock: SimulatedClock): {
  now(this: { offsetMs: number }): number;
  wallNow(): number;
  setTimer: SimulatedClock['setTimer'];
} {
  return {
    now() {
      return clock.now() + this.offsetMs;
    },
    wallNow: () => clock.wallNow(),
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
  };
}

test('after a standstill of the process it lets pass one turn of the event loop before it fires', () => {
  const clock = new SimulatedClock();
  const wheel = new TimerWheel(clock, TICK_MS);
  let heardMs = 0;
  const judged: boolean[] = [];
  const judge = new WheelTimer(() => judged.push(clock.now() - heardMs < 5_000));
  wheel.arm(judge, 5_000);
  clock.advance(1_000);
  clock.standStill(20_000);
  // Set before the wheel's own second try, as a socket is read in the turn between.
  clock.setTimer(0, () => {
    heardMs = clock.now();
  });
  clock.advance(TICK_MS);
  assert.deepEqual(judged, [true]);
});
