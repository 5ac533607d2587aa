import { AlsReceiver, alsReceiverSchema } from '../../../core/als/index.js';
import type { AlsReceiverConfig } from '../../../core/als/index.js';
import type { ReceiverDefinition } from '../../../core/pipe/index.js';
import { ALS_V2_PATH } from '../../../core/wire/index.js';

export const grpcEnvoyAlsV2Receiver: ReceiverDefinition<AlsReceiverConfig> = {
  kind: 'receiver',
  name: 'grpc-envoy-als-v2-receiver',
  title: 'Envoy access logs, v2',
  description:
    'Receives the access-log streams of Envoys that speak the v2 API (Envoy up to 1.17). Messages of a stream are gathered in windows; each window becomes one event with the identifier of its Envoy.',
  stability: 'stable',
  dataType: 'als-v2',
  schema: alsReceiverSchema,
  create: (config, settings) => new AlsReceiver('als-v2', 'v2', ALS_V2_PATH, config, settings.metrics),
};
