/**
 * HOT. A ring of events per partition. An event that was taken is no longer counted here: batches on their way have
 * their own bound, and the memory budget covers both.
 */
import { Ring } from '../../../base/index.js';
import type { Event } from '../../../core/event.js';
import { QUEUE_CODE } from '../../../core/queue.js';
import type { Queue, QueueCode, WhenFull } from '../../../core/queue.js';

export interface MemoryQueueSettings {
  readonly partitions: number;
  readonly eventsPerPartition: number;
  /** Of all partitions; 0: unbounded. */
  readonly maxBytes: number;
  readonly whenFull: WhenFull;
}

export class MemoryQueue implements Queue {
  readonly partitions: number;
  readonly whenFull: WhenFull;
  readonly isDurable = false;
  readonly capacity: number;
  private readonly eventsPerPartition: number;
  private readonly maxBytes: number;
  private readonly rings: Ring<Event>[] = [];
  private bytes = 0;
  private isClosed = false;

  constructor(settings: MemoryQueueSettings) {
    this.partitions = settings.partitions;
    this.whenFull = settings.whenFull;
    this.eventsPerPartition = settings.eventsPerPartition;
    this.capacity = settings.partitions * settings.eventsPerPartition;
    this.maxBytes = settings.maxBytes === 0 ? Infinity : settings.maxBytes;
    for (let partition = 0; partition < settings.partitions; partition++) this.rings.push(new Ring<Event>());
  }

  size(partition: number): number {
    return this.rings[partition]!.length;
  }

  pendingEvents(partition: number): number {
    return this.rings[partition]!.length;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  offer(event: Event, partition: number): QueueCode {
    if (this.isClosed) return QUEUE_CODE.closed;
    const ring = this.rings[partition]!;
    if (ring.length >= this.eventsPerPartition) return QUEUE_CODE.full;
    // One event always fits: a bound below the size of a window must slow a pipe down, not drop all it gets.
    if (this.bytes > 0 && this.bytes + event.costBytes > this.maxBytes) return QUEUE_CODE.full;
    ring.push(event);
    this.bytes += event.costBytes;
    return QUEUE_CODE.ok;
  }

  peek(partition: number): Event | undefined {
    return this.rings[partition]!.peek();
  }

  take(partition: number): Event | undefined {
    const event = this.rings[partition]!.shift();
    if (event !== undefined) this.bytes -= event.costBytes;
    return event;
  }

  settle(): void {
    // Nothing is kept of an event that was taken.
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}
