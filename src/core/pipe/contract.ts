/**
 * The contracts of a pipe's plugins: what receivers, forwarders, fallbackers and filters are to the run time, and what
 * the run time offers them. Shaped so that every kind of call of the protocol fits: queued or synchronous, unary,
 * client-stream or two-way, ordered by a key or not, identified by the first message or by each.
 */
import type { ClientCall, MethodHandler, MethodRegistry } from '../../net/grpc/contract.js';
import type { Batch } from '../batch.js';
import type { AckLevel } from './ack.js';
import type { EndpointView } from '../channel.js';
import type { Event } from '../event.js';
import type { PipeSettings, PluginDefinition, Typed } from '../plugin.js';
import type { Queue } from '../queue.js';
import type { MessageReader } from '../wire/reader.js';

// --- receiving ---

/** What to do with a message when neither it nor an earlier one of its stream says whose it is. */
export type WithoutIdentity = 'fail-call' | 'drop' | 'accept';

/** When a stream's open event closes, and what its answer waits for. */
export interface WindowSettings {
  readonly ack: AckLevel;
  /** Upper bound of a message's wait; 0 closes at each message. */
  readonly flushTimeMs: number;
  readonly limitCount: number;
  readonly limitBytes: number;
  /** All open windows of the method together: above it the oldest close early. */
  readonly totalBytes: number;
}

/** What a receiver may count beside the pipe's own books. All calls are cheap and per stream, message or event. */
export interface StreamObserver {
  /** A stream opened; the result is handed back with each later call of that stream. */
  onOpen(peerHost: string): unknown;
  onMessage(handle: unknown): void;
  onFailed(handle: unknown): void;
  onEvent(handle: unknown): void;
  onClose(handle: unknown): void;
}

/** A queued method: unary (one message, then half-close) and client-stream alike. */
export interface QueuedMethod {
  readonly method: number;
  readonly reader: MessageReader;
  readonly window: WindowSettings;
  readonly withoutIdentity: WithoutIdentity;
  readonly observer: StreamObserver | null;
}

/** The pipe as its receiver sees it. */
export interface Intake {
  /** Takes messages into windows and the queue; answers one empty message and OK at half-close. */
  createQueuedHandler(queued: QueuedMethod): MethodHandler;
  /** Passes the call on to the backend, both ways, byte for byte, with the caller's deadline. */
  createRelayHandler(method: number, isTwoWay: boolean): MethodHandler;
}

export interface Receiver extends Typed {
  /** False when all its methods are relays, which need no queue. */
  readonly isQueued: boolean;
  /** Its events carry a key whose order matters to the backend. */
  readonly isOrdered: boolean;
  /** Registers its methods. @throws SAT_PLG_DUPLICATE_METHOD from the registry. */
  attach(registry: MethodRegistry, intake: Intake): void;
}

// --- between ---

/** Decides about whole events on their way from the queue to the sender. */
export interface Filter {
  /** False: the event is dropped with reason `filtered`. */
  keeps(event: Event): boolean;
}

// --- sending ---

/** How many events fit one call of a method. */
export type CallUnit = 'batch' | 'event';

export interface Forwarder extends Typed {
  /** Backend method paths, by `Event.method` and the relays' method index. */
  readonly paths: readonly string[];
  readonly callUnit: CallUnit;
  /** Writes the batch's messages into the call and half-closes it. */
  writeBatch(call: ClientCall, batch: Batch): void;
  /** The backend answered OK. @units milliseconds since the call was opened */
  onDelivered(batch: Batch, endpoint: EndpointView, answerMs: number): void;
}

/** Asked after a batch has finally failed: one more try, or the end. */
export interface Fallbacker {
  /** Milliseconds to wait before try number `attempt` (1 = first), or -1 to drop. */
  nextTryMs(attempt: number): number;
}

export type ReceiverDefinition<Config> = PluginDefinition<'receiver', Config, PipeSettings, Receiver>;
export type QueueDefinition<Config> = PluginDefinition<'queue', Config, PipeSettings, Queue>;
export type FilterDefinition<Config> = PluginDefinition<'filter', Config, PipeSettings, Filter>;
export type FallbackerDefinition<Config> = PluginDefinition<'fallbacker', Config, PipeSettings, Fallbacker>;
export type ForwarderDefinition<Config> = PluginDefinition<'forwarder', Config, PipeSettings, Forwarder>;
