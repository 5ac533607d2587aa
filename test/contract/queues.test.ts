import { memoryQueue } from '../../src/plugins/queue/memory-queue/index.js';
import { noneQueue } from '../../src/plugins/queue/none-queue/index.js';
import { testQueue } from './queue.js';

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
