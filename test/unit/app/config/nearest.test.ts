import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, suggest } from '../../../../src/app/config/nearest.js';

const NAMES = ['flush_time', 'max_buffer_size', 'min_flush_events', 'address'];

test('a slip of the finger finds the name that was meant', () => {
  const cases = {
    flush_tim: 'flush_time',
    flsuh_time: 'flush_time',
    Flush_Time: 'flush_time',
    max_bufer_size: 'max_buffer_size',
    adress: 'address',
  };
  for (const [written, meant] of Object.entries(cases)) assert.equal(nearestName(written, NAMES), meant, written);
});

test('a name unlike any finds none', () => {
  assert.equal(nearestName('colour', NAMES), undefined);
  assert.equal(nearestName('x', NAMES), undefined);
  assert.equal(nearestName('', NAMES), undefined);
});

test('the suggestion lists what exists when nothing is near', () => {
  assert.equal(suggest('adress', NAMES), 'Did you mean "address"?');
  assert.equal(suggest('colour', ['a', 'b']), 'There is: a, b.');
  assert.equal(suggest('colour', []), 'Remove it.');
});
