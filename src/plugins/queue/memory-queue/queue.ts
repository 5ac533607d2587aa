/**
 * HOT. Events in order, by partition, and by source where the oldest may have to make room for others of its source. An
 * event that was taken is no longer counted here: batches on their way have their own bound, and the memory budget covers
 * both.
 */
import { LinkedList } from '../../../base/index.js';
import type { ListNode } from '../../../base/index.js';
import type { Event } from '../../../core/event.js';
import type { SourceAccount } from '../../../core/fair-shares.js';
import { QUEUE_CODE } from '../../../core/queue.js';
import type { Queue, QueueCode, WhenFull } from '../../../core/queue.js';

export interface MemoryQueueSettings {
  readonly partitions: number;
  readonly eventsPerPartition: number;
  /** Of all partitions; 0: unbounded. */
  readonly maxBytes: number;
  readonly whenFull: WhenFull;
}

/** Where an event waits. */
class Place {
  readonly inPartition: ListNode<Event>;
  readonly inSource: ListNode<Event> | null;

  constructor(inPartition: ListNode<Event>, inSource: ListNode<Event> | null) {
    this.inPartition = inPartition;
    this.inSource = inSource;
  }
}

export class MemoryQueue implements Queue {
  readonly partitions: number;
  readonly whenFull: WhenFull;
  readonly isDurable = false;
  readonly capacity: number;
  private readonly eventsPerPartition: number;
  private readonly maxBytes: number;
  private readonly lists: LinkedList<Event>[] = [];
  /** Only of sources that have something here. */
  private readonly bySource = new Map<SourceAccount, LinkedList<Event>>();
  private bytes = 0;
  private isClosed = false;

  constructor(settings: MemoryQueueSettings) {
    this.partitions = settings.partitions;
    this.whenFull = settings.whenFull;
    this.eventsPerPartition = settings.eventsPerPartition;
    this.capacity = settings.partitions * settings.eventsPerPartition;
    this.maxBytes = settings.maxBytes === 0 ? Infinity : settings.maxBytes;
    for (let partition = 0; partition < settings.partitions; partition++) this.lists.push(new LinkedList<Event>());
  }

  size(partition: number): number {
    return this.lists[partition]!.length;
  }

  pendingEvents(partition: number): number {
    return this.lists[partition]!.length;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  offer(event: Event, partition: number): QueueCode {
    if (this.isClosed) return QUEUE_CODE.closed;
    const list = this.lists[partition]!;
    if (list.length >= this.eventsPerPartition) return QUEUE_CODE.full;
    // One event always fits: a bound below the size of a window must slow a pipe down, not drop all it gets.
    if (this.bytes > 0 && this.bytes + event.costBytes > this.maxBytes) return QUEUE_CODE.full;
    event.store = new Place(list.push(event), this.enterSource(event));
    this.bytes += event.costBytes;
    return QUEUE_CODE.ok;
  }

  peek(partition: number): Event | undefined {
    return this.lists[partition]!.first?.item;
  }

  take(partition: number): Event | undefined {
    const node = this.lists[partition]!.first;
    return node === null ? undefined : this.remove(node.item, partition);
  }

  takeOf(account: SourceAccount, partition: number): Event | undefined {
    let node = this.bySource.get(account)?.first ?? null;
    while (node !== null && partition >= 0 && node.item.partition !== partition) node = node.next;
    return node === null ? undefined : this.remove(node.item, node.item.partition);
  }

  settle(): void {
    // Nothing is kept of an event that was taken.
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  private enterSource(event: Event): ListNode<Event> | null {
    const { account } = event;
    if (account === null || this.whenFull !== 'drop_oldest') return null;
    let list = this.bySource.get(account);
    if (list === undefined) {
      list = new LinkedList<Event>();
      this.bySource.set(account, list);
    }
    return list.push(event);
  }

  private remove(event: Event, partition: number): Event {
    const place = event.store as Place;
    event.store = null;
    this.lists[partition]!.remove(place.inPartition);
    if (place.inSource !== null) this.leaveSource(event.account!, place.inSource);
    this.bytes -= event.costBytes;
    return event;
  }

  private leaveSource(account: SourceAccount, node: ListNode<Event>): void {
    const list = this.bySource.get(account)!;
    list.remove(node);
    if (list.length === 0) this.bySource.delete(account);
  }
}
