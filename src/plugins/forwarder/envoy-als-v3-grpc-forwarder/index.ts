import { z } from 'zod';
import { AlsForwarder } from '../../../core/als/index.js';
import type { ForwarderDefinition } from '../../../core/pipe/index.js';

const schema = z.object({});

export const envoyAlsV3GrpcForwarder: ForwarderDefinition<z.infer<typeof schema>> = {
  kind: 'forwarder',
  name: 'envoy-als-v3-grpc-forwarder',
  title: 'Envoy access logs, v3, to OAP',
  description:
    "Sends access-log events to the backend's SatelliteAccessLogService, many Envoys in one call, each behind its identifier.",
  stability: 'stable',
  dataType: 'als-v3',
  schema,
  create: (_config, settings) => new AlsForwarder('als-v3', settings.clock, settings.metrics),
};
