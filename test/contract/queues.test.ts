import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, SimulatedClock } from '../../src/base/index.js';
import { MemoryBudget } from '../../src/core/budget.js';
import { QUEUE_CODE } from '../../src/core/queue.js';
import { memoryQueue } from '../../src/plugins/queue/memory-queue/index.js';
import { mmapQueue } from '../../src/plugins/queue/mmap-queue/index.js';
import { noneQueue } from '../../src/plugins/queue/none-queue/index.js';
import { CapturingLog } from '../support/log.js';
import { RecordingMetrics } from '../support/metrics.js';
import { makeTemporaryFolder } from '../support/temporary.js';
import { eventOf, testQueue } from './queue.js';

testQueue({
  name: 'memory-queue',
  eventsPerPartition: 4,
  create: () =>
    memoryQueue.create(memoryQueue.schema.parse({ event_buffer_size: 4, partition: 2 }), undefined as never),
});
testQueue({
  name: 'none-queue',
  eventsPerPartition: 0,
  create: () => noneQueue.create(noneQueue.schema.parse({ partition: 2 }), undefined as never),
});
testQueue({
  name: 'mmap-queue',
  // 58 bytes each on disk, in a file of 4096 with 160 of its own.
  eventsPerPartition: 67,
  create: () => {
    const options = { directory: makeTemporaryFolder(), segment_size: 4096, queue_capacity_segments: 2, partition: 2 };
    return mmapQueue.create(mmapQueue.schema.parse(options), {
      pipeName: 'p',
      clock: new SimulatedClock(1000),
      random: createSeededRandom(1),
      log: new CapturingLog(),
      metrics: new RecordingMetrics(),
      budget: new MemoryBudget(1024 * 1024),
    });
  },
});

test('no queue takes more partitions than anybody can mean', () => {
  for (const { schema } of [memoryQueue, mmapQueue]) {
    const options = { directory: '/queue', queue_dir: '/queue' };
    assert.equal(schema.safeParse({ ...options, partition: 1024 }).success, true);
    assert.match(schema.safeParse({ ...options, partition: '1e9' }).error!.message, /must be at most 1024/);
  }
});

test('a memory queue with a bound below the size of one event takes one at a time', () => {
  const options = { event_buffer_size: 4, partition: 2, max_bytes: 1 };
  const queue = memoryQueue.create(memoryQueue.schema.parse(options), undefined as never);
  assert.equal(queue.offer(eventOf(1), 0), QUEUE_CODE.ok);
  assert.equal(queue.offer(eventOf(2), 1), QUEUE_CODE.full);
  queue.take(0);
  assert.equal(queue.offer(eventOf(2), 1), QUEUE_CODE.ok);
});
