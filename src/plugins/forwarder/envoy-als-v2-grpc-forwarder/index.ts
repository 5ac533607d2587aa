import { z } from 'zod';
import { AlsForwarder } from '../../../core/als/index.js';
import type { ForwarderDefinition } from '../../../core/pipe/index.js';

const schema = z.object({});

export const envoyAlsV2GrpcForwarder: ForwarderDefinition<z.infer<typeof schema>> = {
  kind: 'forwarder',
  name: 'envoy-als-v2-grpc-forwarder',
  title: 'Envoy access logs, v2, to OAP',
  description:
    "Sends access-log events to the backend's SatelliteAccessLogService, many Envoys in one call, each behind its identifier.",
  stability: 'stable',
  dataType: 'als-v2',
  schema,
  create: (_config, settings) => new AlsForwarder('als-v2', settings.clock, settings.metrics),
};
