/**
 * HOT. Ordered messages that are sent in one call and settled together, once: as whole events, or, after a refusal that
 * is the data's fault, as a range of messages of one event.
 */
import { BUG, SatelliteError } from '../base/index.js';
import type { Backoff } from '../base/index.js';
import type { Event } from './event.js';

export class Batch {
  readonly events: readonly Event[];
  /** Range of messages [from, to) of a batch that is part of one event; the whole of each event otherwise. */
  readonly from: number;
  readonly to: number;
  messages = 0;
  entries = 0;
  /** Payload without identities. */
  bytes = 0;
  wireBytes = 0;

  // --- its way to delivery; written by the sender only ---

  /** Clock time of the first attempt; 0 before. */
  firstSentMs = 0;
  attempts = 0;
  /** Rounds in which every endpoint that was ready has failed it. */
  rounds = 0;
  /** Endpoints that failed it in this round. */
  excluded: Set<number> | null = null;
  /** Endpoints that refused its method, its token, or found fault with its data, since it was made. */
  refusedMethod: Set<number> | null = null;
  refusedToken: Set<number> | null = null;
  suspectedBy: Set<number> | null = null;
  suspicions = 0;
  backoff: Backoff | null = null;
  /** Times that a plugin threw on it, or on the batch it was part of. */
  pluginFailures = 0;
  /** Tries that the fallbacker has granted. */
  fallbacks = 0;
  private isSettled = false;

  constructor(events: readonly Event[], from = 0, to = 0) {
    this.events = events;
    this.from = from;
    this.to = to;
    if (to > 0) this.weighRange(events[0]!);
    else for (let index = 0; index < events.length; index++) this.weighEvent(events[index]!);
  }

  /** Part of one event rather than whole events. */
  get isPartial(): boolean {
    return this.to > 0;
  }

  get method(): number {
    return this.events[0]!.method;
  }

  /** @throws SAT_BUG on the second call: a batch has exactly one settlement. */
  markSettled(): void {
    if (this.isSettled) throw new SatelliteError(BUG, 'a batch was settled twice');
    this.isSettled = true;
  }

  /**
   * The two halves of this batch: by events while there are several, then by messages. Settles nothing; the halves
   * replace the batch, which must not be used afterwards.
   * @order only while `messages` > 1.
   */
  bisect(): [Batch, Batch] {
    this.markSettled();
    if (this.events.length > 1) {
      const middle = this.events.length >>> 1;
      return [new Batch(this.events.slice(0, middle)), new Batch(this.events.slice(middle))];
    }
    const from = this.from;
    const to = this.isPartial ? this.to : this.messages;
    const middle = (from + to) >>> 1;
    return [new Batch(this.events, from, middle), new Batch(this.events, middle, to)];
  }

  private weighEvent(event: Event): void {
    this.messages += event.messages.length;
    this.entries += event.entries;
    this.bytes += event.bytes;
    this.wireBytes += event.wireBytes;
  }

  private weighRange(event: Event): void {
    this.messages = this.to - this.from;
    for (let index = this.from; index < this.to; index++) {
      this.entries += event.entryCounts[index]!;
      this.bytes += event.messages[index]!.length;
    }
    this.wireBytes = this.bytes + event.wireBytes - event.bytes;
  }
}
