/**
 * HOT. What travels through a pipe: events, each a group of messages of one source with one identity.
 * Ownership: an event owns its messages from `add` on, and one reference to its identity. Nobody writes into their bytes.
 */
import type { Message } from '../net/grpc/contract.js';
import type { MemoryBudget } from './budget.js';
import type { DataType } from './data-type.js';
import type { DropReason } from './drop-reason.js';
import type { SourceAccount } from './fair-shares.js';

/**
 * The bytes that say whose messages these are, encoded as the protobuf field they are (tag, length, body), so that they
 * splice in front of a message. Shared by a stream and all its events; the budget is charged once.
 */
export class Identity {
  readonly bytes: Uint8Array;
  private readonly budget: MemoryBudget;
  private references = 1;

  /**
   * @ownership takes `bytes`, which must be an owned copy; the maker holds the first reference.
   * @order after their length was reserved in `budget`, which the last release gives back.
   */
  constructor(bytes: Uint8Array, budget: MemoryBudget) {
    this.bytes = bytes;
    this.budget = budget;
  }

  retain(): this {
    this.references++;
    return this;
  }

  release(): void {
    if (--this.references === 0) this.budget.release(this.bytes.length);
  }
}

/** Bytes that gRPC puts before each message. */
const ENVELOPE_BYTES = 5;

/**
 * Memory of a message beside its bytes: its object, its list of parts and their views (about 100 bytes each), its share
 * of its event. Without it a flood of tiny messages would cost many times what is charged.
 */
const MESSAGE_OVERHEAD_BYTES = 256;

/** What holding `message` costs: the figure that is charged to the budget and counted by queues. */
export function costOf(message: Message): number {
  return message.pinnedBytes + MESSAGE_OVERHEAD_BYTES;
}

/** What an event puts on the wire. */
export function wireBytesOf(bytes: number, identityBytes: number, messages: number): number {
  return bytes + identityBytes + messages * ENVELOPE_BYTES;
}

/** The call whose answer waits for its events. */
export interface AckListener {
  readonly level: 'queued' | 'delivered';
  /** An event of so many bytes is safe (null), or lost. */
  onSettled(bytes: number, reason: DropReason | null): void;
}

const NO_MESSAGES: Message[] = [];
const NO_COUNTS: number[] = [];

/** The original's unit: one or more messages of one source, queued and counted together. */
export class Event {
  readonly dataType: DataType;
  /** Index into the forwarder's methods. */
  readonly method: number;
  /** Spliced before the first message; null when the messages carry it themselves, or need none. */
  readonly identity: Identity | null;
  /** Hash of the partition key; 0 for kinds without order. */
  readonly keyHash: number;
  messages: Message[] = NO_MESSAGES;
  /** Entries of each message, by the same index. */
  entryCounts: number[] = NO_COUNTS;
  entries = 0;
  /** Payload without identities. */
  bytes = 0;
  /** Memory that the messages cost, as charged to the budget. */
  costBytes = 0;
  /** Clock time of the first message. */
  readonly receivedMs: number;
  /** Clock time when the queue took it. */
  queuedMs = 0;
  partition = 0;
  /** Messages not yet delivered or dropped. */
  unsettledMessages = 0;
  /** Why a message of it was dropped: then the event does not count as delivered. */
  damage: DropReason | null = null;
  /** Whose room it takes; null where none is kept, and once a queue on disk has taken that over. */
  account: SourceAccount | null = null;
  /** Waits to hear that the event is safe; null: nobody does. */
  ackTo: AckListener | null = null;
  /** Its queue's note of where it keeps the event; one on disk adds its number there, and where it begins. */
  store: unknown = null;
  storeIndex = 0;
  storePosition = 0;

  /** @ownership takes over one reference of `identity`. */
  constructor(dataType: DataType, method: number, identity: Identity | null, keyHash: number, receivedMs: number) {
    this.dataType = dataType;
    this.method = method;
    this.identity = identity;
    this.keyHash = keyHash;
    this.receivedMs = receivedMs;
  }

  add(message: Message, entries: number): void {
    if (this.messages.length === 0) {
      // Most events have one message: a list that is made for one is a tenth of one that was pushed to.
      this.messages = [message];
      this.entryCounts = [entries];
    } else {
      this.messages.push(message);
      this.entryCounts.push(entries);
    }
    this.entries += entries;
    this.bytes += message.length;
    this.costBytes += costOf(message);
    this.unsettledMessages++;
  }

  /** Gives back the memory of its messages. @order once, last. */
  releaseMessages(): void {
    for (let index = 0; index < this.messages.length; index++) this.messages[index]!.release();
  }

  /** What sending it puts on the wire, identity and gRPC framing included. */
  get wireBytes(): number {
    const identityBytes = this.identity === null ? 0 : this.identity.bytes.length;
    return wireBytesOf(this.bytes, identityBytes, this.messages.length);
  }
}
