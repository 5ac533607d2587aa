import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noneFallbacker } from '../../../../src/plugins/fallbacker/none-fallbacker/index.js';
import { timerFallbacker } from '../../../../src/plugins/fallbacker/timer-fallbacker/index.js';

function waits(options: Record<string, unknown>): number[] {
  const fallbacker = timerFallbacker.create(timerFallbacker.schema.parse(options), undefined as never);
  const list: number[] = [];
  for (let attempt = 1; list.at(-1) !== -1; attempt++) list.push(fallbacker.nextTryMs(attempt));
  return list;
}

describe('the fallbackers', () => {
  it('none: grants no try', () => {
    assert.equal(noneFallbacker.create({}, undefined as never).nextTryMs(1), -1);
  });

  it('timer: grants max_attempts less the one that failed, doubling the wait up to max_backoff', () => {
    assert.deepEqual(waits({}), [2000, 4000, -1]);
    assert.deepEqual(waits({ max_attempts: 6 }), [2000, 4000, 5000, 5000, 5000, -1]);
    assert.deepEqual(
      waits({ max_attempts: 5, exponential_backoff: 200, max_backoff: 1000 }),
      [200, 400, 800, 1000, -1],
    );
  });

  it('timer: the first wait is not bounded by max_backoff, and one attempt means no further', () => {
    assert.deepEqual(waits({ max_attempts: 3, exponential_backoff: 9000 }), [9000, 5000, -1]);
    assert.deepEqual(waits({ max_attempts: 1 }), [-1]);
    assert.deepEqual(waits({ max_attempts: 0 }), [-1]);
  });
});
