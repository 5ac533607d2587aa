import { z } from 'zod';
import { integerOption } from '../../../core/options.js';
import type { QueueDefinition } from '../../../core/pipe/index.js';
import { QUEUE_CODE } from '../../../core/queue.js';
import type { Queue, QueueCode } from '../../../core/queue.js';

/** Has no room, ever. */
class NoneQueue implements Queue {
  readonly partitions: number;
  readonly whenFull = 'drop_newest';
  readonly isDurable = false;
  readonly capacity = 0;

  constructor(partitions: number) {
    this.partitions = partitions;
  }

  size(): number {
    return 0;
  }

  pendingEvents(): number {
    return 0;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  offer(): QueueCode {
    return QUEUE_CODE.full;
  }

  peek(): undefined {
    return undefined;
  }

  take(): undefined {
    return undefined;
  }

  takeOf(): undefined {
    return undefined;
  }

  settle(): void {
    // Nothing was taken.
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const schema = z.object({
  partition: integerOption({ default: 1, min: 1, doc: 'Without effect; every queue has this option.' }),
});

export const noneQueue: QueueDefinition<z.infer<typeof schema>> = {
  kind: 'queue',
  name: 'none-queue',
  title: 'No queue',
  description:
    'For pipes whose calls are all passed on synchronously, and so need no queue. A receiver that queues loses everything here, counted; the start warns about it.',
  stability: 'stable',
  schema,
  create: (config) => new NoneQueue(config.partition),
};
