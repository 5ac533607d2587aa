import { z } from 'zod';
import type { Batch } from '../../../core/batch.js';
import type { Event } from '../../../core/event.js';
import { writeMessages } from '../../../core/pipe/index.js';
import type { Forwarder, ForwarderDefinition } from '../../../core/pipe/index.js';
import { LOG_FORWARD_PATHS, LogReader } from '../../../core/wire/index.js';
import type { ClientCall } from '../../../net/grpc/contract.js';

class LogForwarder implements Forwarder {
  readonly dataType = 'log';
  readonly paths = LOG_FORWARD_PATHS;
  readonly callUnit = 'batch';
  private readonly reader = new LogReader();

  writeBatch(call: ClientCall, batch: Batch): void {
    for (let index = 0; index < batch.events.length; index++) {
      const event = batch.events[index]!;
      const carried = event.identity === null ? null : event.identity.bytes;
      if (batch.isPartial)
        writeMessages(call, event, batch.from, batch.to, this.serviceAt(event, batch.from) ?? carried);
      else writeMessages(call, event, 0, event.messages.length, carried);
    }
    call.halfClose();
  }

  onDelivered(): void {
    // The pipe's own metrics say it all.
  }

  /** The service in force at a message inside an event: its own or the nearest before it. Null: the event's. */
  private serviceAt(event: Event, from: number): Uint8Array | null {
    for (let index = from; index >= 0; index--) {
      this.reader.read(event.messages[index]!, null);
      if (this.reader.identity !== null) return this.reader.identity;
    }
    return null;
  }
}

const schema = z.object({});

export const nativeLogGrpcForwarder: ForwarderDefinition<z.infer<typeof schema>> = {
  kind: 'forwarder',
  name: 'native-log-grpc-forwarder',
  title: 'Agent logs to OAP',
  description:
    "Sends log events to the backend's LogReportService, many agents in one call. The first message of each event names its service.",
  stability: 'stable',
  dataType: 'log',
  schema,
  create: () => new LogForwarder(),
};
