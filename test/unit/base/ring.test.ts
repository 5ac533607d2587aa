import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ring } from '../../../src/base/index.js';

test('behaves as an array does under any mix of operations', () => {
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('push' as const), times: fc.integer({ min: 1, max: 90 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('shift' as const), times: fc.integer({ min: 1, max: 90 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('unshift' as const), times: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), times: fc.constant(1) }) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), fc.array(operation, { maxLength: 60 }), (capacity, operations) => {
      const ring = new Ring<number>(capacity);
      let model: number[] = [];
      let next = 0;
      for (const { kind, times } of operations) {
        for (let count = 0; count < times; count++) {
          if (kind === 'push') {
            ring.push(next);
            model.push(next++);
          } else if (kind === 'unshift') {
            ring.unshift(next);
            model.unshift(next++);
          } else if (kind === 'shift') {
            assert.equal(ring.shift(), model.shift());
          } else {
            ring.clear();
            model = [];
          }
        }
        assert.equal(ring.length, model.length);
        assert.equal(ring.peek(), model[0]);
        assert.deepEqual(
          model.map((_, index) => ring.at(index)),
          model,
        );
        assert.equal(ring.at(model.length), undefined);
        assert.equal(ring.at(-1), undefined);
      }
    }),
  );
});

/** Slots held now; the tests look at private state where memory is the point. */
function capacityOf(ring: Ring<unknown>): number {
  return (ring as unknown as { slots: unknown[] }).slots.length;
}

test('gives the memory of a burst back although it never runs empty', () => {
  const ring = new Ring<number>(16);
  for (let item = 0; item < 10_000; item++) ring.push(item);
  assert.equal(capacityOf(ring), 16_384);
  while (ring.length > 1) ring.shift();
  assert.ok(capacityOf(ring) <= 16 * 8, `${String(capacityOf(ring))} slots for one item`);
  assert.equal(ring.shift(), 9_999);
});

test('does not resize while a small burst comes and goes', () => {
  const ring = new Ring<number>(16);
  for (let item = 0; item < 100; item++) ring.push(item);
  const capacity = capacityOf(ring);
  for (let round = 0; round < 50; round++) {
    while (ring.length > 0) ring.shift();
    assert.equal(capacityOf(ring), capacity);
    for (let item = 0; item < 100; item++) ring.push(item);
  }
});

test('keeps no reference to what was taken out', () => {
  const ring = new Ring<object>(4);
  ring.push({});
  ring.push({});
  ring.shift();
  ring.shift();
  const { slots } = ring as unknown as { slots: unknown[] };
  assert.ok(slots.every((slot) => slot === undefined));
});

test('gives up the newest first by pop, across the end of its array', () => {
  const ring = new Ring<number>(4);
  for (let item = 0; item < 6; item++) {
    ring.push(item);
    if (item < 3) ring.shift();
  }
  assert.deepEqual([ring.pop(), ring.pop(), ring.peek(), ring.pop(), ring.pop()], [5, 4, 3, 3, undefined]);
  ring.push(7);
  assert.equal(ring.shift(), 7);
});
