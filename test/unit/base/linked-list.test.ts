import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkedList } from '../../../src/base/index.js';
import type { ListNode } from '../../../src/base/index.js';

function itemsOf<T>(list: LinkedList<T>): T[] {
  const items: T[] = [];
  for (let node = list.first; node !== null; node = node.next) items.push(node.item);
  return items;
}

test('a linked list keeps the order, whoever leaves', () => {
  for (const leaving of [[0], [2], [4], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]]) {
    const list = new LinkedList<number>();
    const nodes: ListNode<number>[] = [];
    for (let item = 0; item < 5; item++) nodes.push(list.push(item));
    for (const item of leaving) list.remove(nodes[item]!);
    const left = [0, 1, 2, 3, 4].filter((item) => !leaving.includes(item));
    assert.deepEqual(itemsOf(list), left);
    assert.equal(list.length, left.length);
    list.push(5);
    assert.deepEqual(itemsOf(list), [...left, 5]);
  }
});
