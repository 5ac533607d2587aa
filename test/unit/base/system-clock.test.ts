import { test } from 'node:test';
import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/index.js';

test('a timer never fires before its time by its own clock', async () => {
  for (const delayMs of [0, 0.4, 1.5, 7.9]) {
    const startMs = systemClock.now();
    const elapsedMs = await new Promise<number>((resolve) => {
      systemClock.setTimer(delayMs, () => {
        resolve(systemClock.now() - startMs);
      });
      keepAlive();
    });
    assert.ok(elapsedMs >= delayMs, `${String(elapsedMs)} ms instead of ${String(delayMs)}`);
  }
});

test('a delay beyond what Node can count does not fire at once', async () => {
  let hasFired = false;
  const timer = systemClock.setTimer(Number.POSITIVE_INFINITY, () => {
    hasFired = true;
  });
  await new Promise<void>((resolve) => {
    systemClock.setTimer(5, resolve);
    keepAlive();
  });
  timer.cancel();
  assert.equal(hasFired, false);
});

/** Timers of the clock do not keep a process alive: the test's own does, for as long as it can need. */
function keepAlive(): void {
  setTimeout(() => undefined, 50);
}
