import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BlockPool, MAX_BLOCK_BYTES, type Slab } from '../../../src/base/index.js';

class Budget {
  used = 0;

  reserve(bytes: number): void {
    this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}

test('blocks of a slab lie one behind the other', () => {
  const pool = new BlockPool(null);
  const slab = pool.take(100);
  assert.equal(pool.start, 0);
  assert.equal(pool.take(50), slab);
  assert.equal(pool.start, 100);
});

test('the block taken last gives its room back at once', () => {
  const budget = new Budget();
  const pool = new BlockPool(budget);
  const slab = pool.take(100);
  pool.take(50);
  slab.giveBack(100, 50);
  assert.equal(budget.used, 0);
  pool.take(70);
  assert.equal(pool.start, 100);
});

test('part of a block can be given back from its end', () => {
  const budget = new Budget();
  const pool = new BlockPool(budget);
  const slab = pool.take(100);
  slab.giveBack(40, 60);
  assert.equal(slab.used, 40);
  slab.giveBack(0, 40);
  assert.equal(slab.used, 0);
  assert.equal(budget.used, 0);
});

test('dead room is charged until its slab is empty', () => {
  const budget = new Budget();
  const pool = new BlockPool(budget);
  const slab = pool.take(100);
  pool.take(50);
  slab.giveBack(0, 100);
  assert.equal(budget.used, 100);
  slab.giveBack(100, 50);
  assert.equal(budget.used, 0);
  assert.equal(slab.used, 0);
});

test('an empty slab is used again, one with a block in it is not', () => {
  const pool = new BlockPool(null);
  const slabs = new Set<Slab>();
  const taken: [Slab, number][] = [];
  const fill = (): void => {
    for (let count = 0; count < 20; count++) {
      const slab = pool.take(MAX_BLOCK_BYTES);
      slabs.add(slab);
      taken.push([slab, pool.start]);
    }
  };
  fill();
  const used = slabs.size;
  const [keptSlab] = taken.shift()!;
  for (const [slab, start] of taken.splice(0)) slab.giveBack(start, MAX_BLOCK_BYTES);
  fill();
  assert.equal(slabs.size, used + 1);
  assert.ok(taken.every(([slab]) => slab !== keptSlab));
});

test('a block keeps its bytes until it is given back, whatever others do, and nothing stays charged', () => {
  const step = fc.record({ size: fc.integer({ min: 1, max: MAX_BLOCK_BYTES }), back: fc.nat(100), cut: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const budget = new Budget();
      const pool = new BlockPool(budget);
      const held: { slab: Slab; start: number; length: number; mark: number }[] = [];
      const release = (index: number): void => {
        const [block] = held.splice(index, 1);
        const { slab, start, length, mark } = block!;
        assert.ok(slab.bytes.subarray(start, start + length).every((byte) => byte === mark));
        slab.giveBack(start, length);
      };
      steps.forEach(({ size, back, cut }, mark) => {
        const slab = pool.take(size);
        const start = pool.start;
        slab.bytes.fill(mark % 251, start, start + size);
        let length = size;
        if (cut) {
          length = Math.ceil(size / 2);
          slab.giveBack(start + length, size - length);
        }
        held.push({ slab, start, length, mark: mark % 251 });
        if (back < held.length) release(back);
      });
      while (held.length > 0) release(0);
      assert.equal(budget.used, 0);
    }),
  );
});
