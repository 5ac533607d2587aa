/**
 * HOT. The access-log services of a fake OAP. A message that carries an identifier switches the call's node for what
 * follows; the answer comes after half-close; what a call brought is booked only if that answer is OK.
 */
import type { Clock } from '../../base/index.js';
import type { Message, MethodHandler, ServerCall } from '../../net/grpc/contract.js';
import { EntryId, readEntryId } from '../entry-id.js';
import { envoyOfNodeId } from '../fleet/identity.js';
import type { LatencyHistogram } from '../latency-histogram.js';
import { AlsMessage, AlsReader } from './als-reader.js';
import type { AnswerDesk } from './answer-desk.js';
import { NodeBook, type OapBooks } from './oap-books.js';
import type { OapJournal } from './oap-journal.js';
import type { OapCounters } from './oap-counters.js';

/** OAP's reply is an empty StreamAccessLogsResponse. */
const EMPTY_REPLY = new Uint8Array(0);

/** What one call has brought, not yet booked. */
class AlsCall {
  node: NodeBook | null = null;
  messages = 0;
  entries = 0;
  bytes = 0;
  /** Runs of one node's entries: how many, and whose. */
  readonly nodes: NodeBook[] = [];
  readonly nodeEntries: number[] = [];
  /** Number plates under the right node (check 'full'). */
  readonly platedNodes: NodeBook[] = [];
  readonly sequences: number[] = [];
}

export class AlsService implements MethodHandler {
  private readonly desk: AnswerDesk;
  private readonly clock: Clock;
  private readonly counters: OapCounters;
  private readonly books: OapBooks;
  private readonly latency: LatencyHistogram;
  private readonly journal: OapJournal | null;
  private readonly reader = new AlsReader();
  private readonly message = new AlsMessage();
  private readonly entryId = new EntryId();
  /** A message of several parts is joined here before it is read. */
  private scratch: Buffer = Buffer.allocUnsafeSlow(64 * 1024);

  constructor(
    desk: AnswerDesk,
    clock: Clock,
    counters: OapCounters,
    books: OapBooks,
    latency: LatencyHistogram,
    journal: OapJournal | null = null,
  ) {
    this.desk = desk;
    this.clock = clock;
    this.counters = counters;
    this.books = books;
    this.latency = latency;
    this.journal = journal;
  }

  onCall(call: ServerCall): void {
    this.counters.calls++;
    this.counters.openCalls++;
    call.state = new AlsCall();
    if (!this.desk.admit(call)) this.counters.failedCalls++;
  }

  onMessage(call: ServerCall, message: Message): void {
    this.count(call, message);
    message.release();
  }

  private count(call: ServerCall, message: Message): void {
    const record = call.state as AlsCall;
    const found = this.message;
    const isFull = this.desk.options.check === 'full';
    const bytes = this.join(message);
    this.reader.read(bytes, message.length, isFull ? Infinity : 1, found);
    const counters = this.counters;
    counters.messages++;
    counters.bytes += message.length;
    record.messages++;
    record.bytes += message.length;
    if (found.isMalformed) {
      counters.malformedMessages++;
      return;
    }
    if (found.identifierBytes > 0) {
      counters.identifiers++;
      counters.identifierBytes += found.identifierBytes;
      record.node = this.findNode(bytes, found.nodeIdStart, found.nodeIdEnd);
    }
    counters.entries += found.entries;
    record.entries += found.entries;
    const node = record.node;
    if (node === null) {
      counters.messagesWithoutIdentity++;
      return;
    }
    const run = record.nodes.length - 1;
    if (run >= 0 && record.nodes[run] === node) {
      record.nodeEntries[run]! += found.entries;
    } else {
      record.nodes.push(node);
      record.nodeEntries.push(found.entries);
    }
    this.readPlates(bytes, node, record, isFull);
  }

  onHalfClose(call: ServerCall): void {
    const record = call.state as AlsCall;
    this.desk.answer(call, record.bytes, EMPTY_REPLY, (isAccepted) => {
      if (isAccepted) this.book(record);
      else this.counters.failedCalls++;
    });
  }

  onEnd(_call: ServerCall, isCancelled: boolean): void {
    this.counters.openCalls--;
    if (isCancelled) this.counters.cancelledCalls++;
  }

  private readPlates(bytes: Uint8Array, node: NodeBook, record: AlsCall, isFull: boolean): void {
    const { streamIds } = this.message;
    const plate = this.entryId;
    for (let index = 0; index < streamIds.length; index++) {
      const at = streamIds[index]!;
      if (at < 0 || !readEntryId(bytes, at, plate)) {
        this.counters.foreignEntries++;
        continue;
      }
      if (index === 0) this.latency.record(this.clock.wallNow() - plate.sentAtMs);
      if (!isFull) continue;
      if (plate.envoy === node.envoy) {
        record.platedNodes.push(node);
        record.sequences.push(plate.sequence);
      } else {
        this.counters.misplacedEntries++;
      }
    }
  }

  private book(record: AlsCall): void {
    const counters = this.counters;
    counters.acceptedCalls++;
    counters.acceptedMessages += record.messages;
    counters.acceptedEntries += record.entries;
    counters.acceptedBytes += record.bytes;
    this.journal?.append(record.platedNodes, record.sequences);
    for (let index = 0; index < record.nodes.length; index++) {
      record.nodes[index]!.acceptedEntries += record.nodeEntries[index]!;
    }
    for (let index = 0; index < record.sequences.length; index++) {
      if (!this.books.accept(record.platedNodes[index]!, record.sequences[index]!)) counters.doubledEntries++;
    }
  }

  private findNode(bytes: Uint8Array, start: number, end: number): NodeBook {
    const nodeId = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
    let node = this.books.nodes.get(nodeId);
    if (node === undefined) {
      node = new NodeBook(nodeId, envoyOfNodeId(nodeId));
      this.books.nodes.set(nodeId, node);
    }
    return node;
  }

  private join(message: Message): Uint8Array {
    const { parts } = message;
    if (parts.length === 1) return parts[0]!;
    if (this.scratch.length < message.length) this.scratch = Buffer.allocUnsafeSlow(message.length * 2);
    let at = 0;
    for (let index = 0; index < parts.length; index++) {
      this.scratch.set(parts[index]!, at);
      at += parts[index]!.length;
    }
    return this.scratch;
  }
}
