/** What every queue plugin must do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Event } from '../../src/core/event.js';
import { QUEUE_CODE } from '../../src/core/queue.js';
import type { Queue } from '../../src/core/queue.js';
import { messageOf } from '../support/als.js';

export interface QueueUnderTest {
  readonly name: string;
  /** A queue of two partitions. */
  readonly create: () => Queue;
  /** Events of `eventOf` that one partition takes. */
  readonly eventsPerPartition: number;
}

const EVENT_BYTES = 10;

export function eventOf(label: number): Event {
  const event = new Event('als-v3', 0, null, 0, label);
  event.add(messageOf(new Uint8Array(EVENT_BYTES).fill(label)), 1);
  return event;
}

export function testQueue({ name, create, eventsPerPartition }: QueueUnderTest): void {
  describe(`${name} as a queue`, () => {
    async function opened(): Promise<Queue> {
      const queue = create();
      await queue.open();
      assert.equal(queue.partitions, 2);
      return queue;
    }

    it('takes as much as it says, then answers full, each partition for itself', async () => {
      const queue = await opened();
      for (let label = 0; label < eventsPerPartition; label++) {
        assert.equal(queue.offer(eventOf(label), 0), QUEUE_CODE.ok);
      }
      assert.equal(queue.offer(eventOf(99), 0), QUEUE_CODE.full);
      assert.equal(queue.offer(eventOf(99), 1), eventsPerPartition > 0 ? QUEUE_CODE.ok : QUEUE_CODE.full);
      assert.equal(queue.pendingEvents(0), eventsPerPartition);
      assert.ok(queue.size(0) <= queue.capacity);
      await queue.close();
    });

    it('hands out in the order it took, and peeks without taking', async () => {
      const queue = await opened();
      for (let label = 0; label < eventsPerPartition; label++) queue.offer(eventOf(label), label % 2);
      for (const partition of [0, 1]) {
        const labels: number[] = [];
        for (let event = queue.peek(partition); event !== undefined; event = queue.peek(partition)) {
          assert.equal(queue.take(partition), event);
          labels.push(event.receivedMs);
          queue.settle(event);
        }
        assert.deepEqual(
          labels,
          labels.toSorted((a, b) => a - b),
        );
        assert.equal(queue.take(partition), undefined);
        assert.equal(queue.pendingEvents(partition), 0);
      }
      await queue.close();
    });

    it('has room again after a take, and lets events be settled in any order', async () => {
      const queue = await opened();
      for (let label = 0; label < eventsPerPartition; label++) queue.offer(eventOf(label), 0);
      const taken = [];
      for (let event = queue.take(0); event !== undefined; event = queue.take(0)) taken.push(event);
      for (const event of taken.toReversed()) queue.settle(event);
      if (eventsPerPartition > 0) assert.equal(queue.offer(eventOf(1), 0), QUEUE_CODE.ok);
      await queue.close();
    });
  });
}
