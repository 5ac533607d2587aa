import { AlsReceiver, alsReceiverSchema } from '../../../core/als/index.js';
import type { AlsReceiverConfig } from '../../../core/als/index.js';
import type { ReceiverDefinition } from '../../../core/pipe/index.js';
import { ALS_V3_PATH } from '../../../core/wire/index.js';

export const grpcEnvoyAlsV3Receiver: ReceiverDefinition<AlsReceiverConfig> = {
  kind: 'receiver',
  name: 'grpc-envoy-als-v3-receiver',
  title: 'Envoy access logs, v3',
  description:
    'Receives the access-log streams of Envoys, HTTP and TCP. Messages of a stream are gathered in windows; each window becomes one event with the identifier of its Envoy.',
  stability: 'stable',
  dataType: 'als-v3',
  schema: alsReceiverSchema,
  create: (config, settings) => new AlsReceiver('als-v3', 'v3', ALS_V3_PATH, config, settings.metrics),
};
