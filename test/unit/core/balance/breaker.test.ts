import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Breaker, GATE } from '../../../../src/core/balance/breaker.js';

/** The middle of the jitter. */
const EVEN = (): number => 0.5;

function fail(breaker: Breaker, times: number, nowMs: number): boolean {
  let isEjected = false;
  for (let count = 0; count < times; count++) isEjected = breaker.onFailure(false, false, nowMs);
  return isEjected;
}

describe('breaker', () => {
  it('ejects at the third failure in a row', () => {
    const breaker = new Breaker(EVEN);
    assert.equal(fail(breaker, 2, 0), false);
    assert.equal(breaker.gate(0), GATE.open);
    assert.equal(fail(breaker, 1, 0), true);
    assert.equal(breaker.gate(0), GATE.shut);
  });

  it('forgets failures at an OK', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 2, 0);
    breaker.onOk(false, 0);
    assert.equal(fail(breaker, 2, 0), false);
  });

  it('ejects at the first silence', () => {
    const breaker = new Breaker(EVEN);
    assert.equal(breaker.onFailure(false, true, 0), true);
  });

  it('lets one batch through when its time is up, and no second', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    assert.equal(breaker.gate(999), GATE.shut);
    assert.equal(breaker.gate(1_000), GATE.probe);
    breaker.startProbe();
    assert.equal(breaker.gate(1_000), GATE.shut);
    assert.equal(breaker.onOk(true, 1_100), true);
    assert.equal(breaker.gate(1_100), GATE.open);
  });

  it('waits twice as long after each failed probe, up to half a minute', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    let nowMs = 0;
    const waits: number[] = [];
    for (let probe = 0; probe < 7; probe++) {
      waits.push(breaker.probeDueMs - nowMs);
      nowMs = breaker.probeDueMs;
      breaker.startProbe();
      assert.equal(breaker.onFailure(true, false, nowMs), true);
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('goes on growing for an endpoint that fails again right after its return', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    breaker.startProbe();
    breaker.onOk(true, 1_000);
    fail(breaker, 3, 2_000);
    assert.equal(breaker.probeDueMs, 4_000);
    breaker.startProbe();
    breaker.onOk(true, 4_000);
    fail(breaker, 3, 14_000);
    assert.equal(breaker.probeDueMs, 15_000);
  });

  it('ignores what comes in of batches sent before the ejection', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    const dueMs = breaker.probeDueMs;
    assert.equal(breaker.onFailure(false, true, 500), false);
    assert.equal(breaker.onOk(false, 500), false);
    assert.equal(breaker.isEjected, true);
    assert.equal(breaker.probeDueMs, dueMs);
    breaker.startProbe();
    breaker.onOk(false, 500);
    breaker.onNeutral(false);
    assert.equal(breaker.isProbing, true);
  });

  it('probes anew after a probe that told nothing', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    breaker.startProbe();
    breaker.onNeutral(true);
    assert.equal(breaker.gate(1_000), GATE.probe);
  });

  it('allows a probe at once on a new connection', () => {
    const breaker = new Breaker(EVEN);
    fail(breaker, 3, 0);
    breaker.allowProbe(10);
    assert.equal(breaker.gate(10), GATE.probe);
  });

  it('spreads ejections by a fifth either way', () => {
    for (const [chance, dueMs] of [
      [0, 800],
      [1, 1_200],
    ] as const) {
      const breaker = new Breaker(() => chance);
      fail(breaker, 3, 0);
      assert.equal(Math.round(breaker.probeDueMs), dueMs);
    }
  });
});
