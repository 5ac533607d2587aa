/** Sums over events of a queue, in the units of the books, and what sending them puts on the wire. */
import { wireBytesOf } from './event.js';
import type { Event } from './event.js';

/** What one event counts for. */
export interface EventCounts {
  readonly messages: number;
  readonly entries: number;
  readonly bytes: number;
  readonly identityBytes: number;
}

export class QueueTotals {
  events = 0;
  messages = 0;
  entries = 0;
  bytes = 0;
  wireBytes = 0;

  addEvent(event: Event): void {
    this.events++;
    this.messages += event.messages.length;
    this.entries += event.entries;
    this.bytes += event.bytes;
    this.wireBytes += event.wireBytes;
  }

  subtractEvent(event: Event): void {
    this.events--;
    this.messages -= event.messages.length;
    this.entries -= event.entries;
    this.bytes -= event.bytes;
    this.wireBytes -= event.wireBytes;
  }

  /** An event that is not here, only its counts. */
  addCounts(counts: EventCounts): void {
    this.events++;
    this.messages += counts.messages;
    this.entries += counts.entries;
    this.bytes += counts.bytes;
    this.wireBytes += wireBytesOf(counts.bytes, counts.identityBytes, counts.messages);
  }

  add(other: QueueTotals): void {
    this.events += other.events;
    this.messages += other.messages;
    this.entries += other.entries;
    this.bytes += other.bytes;
    this.wireBytes += other.wireBytes;
  }

  subtract(other: QueueTotals): void {
    this.events -= other.events;
    this.messages -= other.messages;
    this.entries -= other.entries;
    this.bytes -= other.bytes;
    this.wireBytes -= other.wireBytes;
  }

  copy(): QueueTotals {
    const copy = new QueueTotals();
    copy.add(this);
    return copy;
  }

  clear(): void {
    this.events = 0;
    this.messages = 0;
    this.entries = 0;
    this.bytes = 0;
    this.wireBytes = 0;
  }
}
