import { z } from 'zod';
import type { MethodRegistry } from '../../../net/grpc/contract.js';
import { createWindowSettings, windowOptions } from '../../../core/pipe/index.js';
import type { Intake, Receiver, ReceiverDefinition } from '../../../core/pipe/index.js';
import { LOG_COLLECT_PATH, LogReader } from '../../../core/wire/index.js';

const schema = z.object(windowOptions);
type LogReceiverConfig = z.infer<typeof schema>;

class LogReceiver implements Receiver {
  readonly dataType = 'log';
  readonly isQueued = true;
  readonly isOrdered = false;
  private readonly config: LogReceiverConfig;

  constructor(config: LogReceiverConfig) {
    this.config = config;
  }

  attach(registry: MethodRegistry, intake: Intake): void {
    const handler = intake.createQueuedHandler({
      method: 0,
      reader: new LogReader(),
      window: createWindowSettings(this.config),
      // The backend ignores a log that nobody has named a service for.
      withoutIdentity: 'drop',
      observer: null,
    });
    registry.register(LOG_COLLECT_PATH, handler);
  }
}

export const grpcNativeLogReceiver: ReceiverDefinition<LogReceiverConfig> = {
  kind: 'receiver',
  name: 'grpc-native-log-receiver',
  title: 'Agent logs',
  description:
    'Receives the log streams of agents. A stream that stays open is delivered as it goes: its messages are gathered in windows, and the service that its first message names is carried over to each.',
  stability: 'stable',
  dataType: 'log',
  schema,
  create: (config) => new LogReceiver(config),
};
