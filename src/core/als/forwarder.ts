/** HOT. Sends batches of access-log events, of many Envoys one after the other, each behind its identifier. */
import type { Clock } from '../../base/index.js';
import type { ClientCall } from '../../net/grpc/contract.js';
import type { Batch } from '../batch.js';
import type { EndpointView } from '../channel.js';
import type { DataType } from '../data-type.js';
import type { Identity } from '../event.js';
import type { Forwarder } from '../pipe/contract.js';
import { writeMessages } from '../pipe/write-messages.js';
import type { Counter, Metrics } from '../telemetry.js';
import { ALS_FORWARD_PATHS } from '../wire/index.js';
import { ALS_METRICS } from './metrics.js';

/** What was acknowledged by one backend. */
interface Target {
  readonly endpoint: EndpointView;
  readonly host: string;
  readonly events: Counter;
  readonly messages: Counter;
}

export class AlsForwarder implements Forwarder {
  readonly dataType: DataType;
  readonly paths = ALS_FORWARD_PATHS;
  readonly callUnit = 'batch';
  private readonly clock: Clock;
  private readonly metrics: Metrics;
  private readonly targets = new Map<number, Target>();
  private readonly eventsReady: Counter;
  private readonly messagesReady: Counter;
  private readonly connectCount: Counter;
  private readonly sendSum: Counter;
  private readonly sendCount: Counter;
  private readonly closeSum: Counter;
  private readonly closeCount: Counter;

  constructor(dataType: DataType, clock: Clock, metrics: Metrics) {
    this.dataType = dataType;
    this.clock = clock;
    this.metrics = metrics;
    this.eventsReady = metrics.counter(ALS_METRICS.eventReady, {});
    this.messagesReady = metrics.counter(ALS_METRICS.messageReady, {});
    metrics.counter(ALS_METRICS.connectSum, {});
    this.connectCount = metrics.counter(ALS_METRICS.connectCount, {});
    this.sendSum = metrics.counter(ALS_METRICS.sendSum, {});
    this.sendCount = metrics.counter(ALS_METRICS.sendCount, {});
    this.closeSum = metrics.counter(ALS_METRICS.closeSum, {});
    this.closeCount = metrics.counter(ALS_METRICS.closeCount, {});
  }

  writeBatch(call: ClientCall, batch: Batch): void {
    const startMs = this.clock.now();
    this.eventsReady.value += batch.events.length;
    this.messagesReady.value += batch.messages;
    this.connectCount.value++;
    let last: Identity | null = null;
    for (let index = 0; index < batch.events.length; index++) {
      const event = batch.events[index]!;
      const identity = event.identity;
      // The backend's current node is that of the event before: no need to say it again.
      const bytes = identity === null || identity === last ? null : identity.bytes;
      last = identity;
      writeMessages(call, event, batch.from, batch.isPartial ? batch.to : event.messages.length, bytes);
    }
    call.halfClose();
    this.sendCount.value++;
    this.sendSum.value += Math.round(this.clock.now() - startMs);
  }

  onDelivered(batch: Batch, endpoint: EndpointView, answerMs: number): void {
    const target = this.targets.get(endpoint.id) ?? this.addTarget(endpoint);
    target.events.value += batch.events.length;
    target.messages.value += batch.messages;
    this.closeCount.value++;
    this.closeSum.value += Math.round(answerMs);
  }

  /** A backend answered for the first time: an occasion to forget those that are gone. */
  private addTarget(endpoint: EndpointView): Target {
    for (const [id, known] of this.targets) {
      if (known.endpoint.isReady) continue;
      this.targets.delete(id);
      this.metrics.forget({ target: known.host });
    }
    const host = endpoint.address.replace(/:\d+$/, '');
    const target = {
      endpoint,
      host,
      events: this.metrics.counter(ALS_METRICS.eventFinished, { target: host }),
      messages: this.metrics.counter(ALS_METRICS.messageFinished, { target: host }),
    };
    this.targets.set(endpoint.id, target);
    return target;
  }
}
