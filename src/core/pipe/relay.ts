/**
 * Synchronous calls: passed on to one backend as they come, both ways, byte for byte, without queue or retry. The
 * caller's metadata, deadline and cancellation go along; the backend's headers, messages, status and trailers come back.
 */
import type { Clock } from '../../base/index.js';
import type {
  ClientCall,
  ClientCallHandler,
  Message,
  MethodHandler,
  ServerCall,
  Status,
} from '../../net/grpc/contract.js';
import { customMetadataOf, fieldOf, passedFieldsOf, takeBytes } from '../../net/grpc/index.js';
import { OUTCOME } from '../channel.js';
import type { Channel, Lease } from '../channel.js';
import type { PipeMetrics } from './metrics.js';

const OK = 0;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;

/** A caller that is this far ahead of the backend is cut off: nothing here waits in a queue or counts in the budget. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** Both calls of one relay. */
class Relay {
  readonly incoming: ServerCall;
  readonly lease: Lease;
  outgoing: ClientCall | null = null;
  hasRequest = false;

  constructor(incoming: ServerCall, lease: Lease) {
    this.incoming = incoming;
    this.lease = lease;
  }
}

export interface RelayParts {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly metrics: PipeMetrics;
  /** Backend method path. */
  readonly path: string;
  /** A call that may last; else one without a deadline gets the channel's for unary calls. */
  readonly isTwoWay: boolean;
}

export class RelayHandler implements MethodHandler, ClientCallHandler {
  private readonly parts: RelayParts;

  constructor(parts: RelayParts) {
    this.parts = parts;
  }

  // --- the caller's side ---

  onCall(incoming: ServerCall): void {
    const { channel, clock, isTwoWay, path } = this.parts;
    incoming.state = null;
    const lease = channel.leaseForRelay();
    if (lease === null) {
      this.refuse(incoming);
      return;
    }
    const ownDeadlineMs = isTwoWay ? Infinity : clock.now() + channel.unaryTimeoutMs;
    const deadlineMs = incoming.deadlineMs === Infinity ? ownDeadlineMs : incoming.deadlineMs;
    const outgoing = lease.openCall(path, this, { metadata: passedMetadata(incoming, channel), deadlineMs });
    if (outgoing === null) {
      lease.settle(OUTCOME.neutral, null);
      this.refuse(incoming);
      return;
    }
    const relay = new Relay(incoming, lease);
    relay.outgoing = outgoing;
    incoming.state = relay;
    outgoing.state = relay;
  }

  private refuse(incoming: ServerCall): void {
    this.parts.metrics.relaysFailed.value++;
    incoming.finish(UNAVAILABLE, 'no backend is ready');
  }

  onMessage(first: ServerCall | ClientCall, message: Message): void {
    const relay = first.state as Relay | null;
    // A copy, because there is nobody to tell when the last of it has been sent.
    const bytes = takeBytes(message);
    if (!relay?.outgoing) return;
    if (first !== relay.incoming) {
      relay.incoming.sendHeaders(passedFieldsOf(relay.outgoing.headers));
      relay.incoming.sendMessage([bytes], bytes.length);
    } else if (relay.hasRequest && !this.parts.isTwoWay) {
      this.cutOff(relay, INTERNAL, 'a unary call with more than one message');
    } else if (relay.outgoing.unsentBytes > MAX_UNSENT_BYTES) {
      this.cutOff(relay, RESOURCE_EXHAUSTED, 'the backend does not keep up');
    } else {
      relay.hasRequest = true;
      relay.outgoing.sendMessage([bytes], bytes.length);
    }
  }

  /** The caller hears `status`; the backend, that the call is cancelled. */
  private cutOff(relay: Relay, status: number, reason: string): void {
    relay.incoming.finish(status, reason);
    relay.outgoing?.cancel(reason);
  }

  onHalfClose(incoming: ServerCall): void {
    const relay = incoming.state as Relay | null;
    relay?.outgoing?.halfClose();
  }

  onEnd(incoming: ServerCall, isCancelled: boolean, reason: string): void {
    const relay = incoming.state as Relay | null;
    if (isCancelled) relay?.outgoing?.cancel(reason);
  }

  // --- the backend's side ---

  onStatus(outgoing: ClientCall, status: Status): void {
    const relay = outgoing.state as Relay;
    relay.outgoing = null;
    if (status.code === OK) this.parts.metrics.relaysAnswered.value++;
    else this.parts.metrics.relaysFailed.value++;
    const failed = status.code === UNAVAILABLE ? OUTCOME.endpointFailed : OUTCOME.neutral;
    relay.lease.settle(status.code === OK ? OUTCOME.ok : failed, status);
    if (outgoing.headers.length > 0) relay.incoming.sendHeaders(passedFieldsOf(outgoing.headers));
    relay.incoming.finish(status.code, status.message, passedFieldsOf(status.trailers));
  }
}

/** The caller's own fields. Where the channel sets one of that name, its token above all, the channel's is the one. */
function passedMetadata(incoming: ServerCall, channel: Channel): readonly string[] {
  const own = customMetadataOf(incoming.metadata);
  const passed: string[] = [];
  for (let index = 0; index < own.length; index += 2) {
    const name = own[index]!;
    if (fieldOf(channel.metadata, name) === undefined) passed.push(name, own[index + 1]!);
  }
  return passed;
}
