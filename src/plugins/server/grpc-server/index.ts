import type { ServerDefinition } from '../../../core/plugin.js';
import { schema, type GrpcServerConfig } from './config.js';
import { GrpcServerPlugin } from './server.js';

export { GRPC_SERVER_METRICS } from './metrics.js';

export const grpcServer: ServerDefinition<GrpcServerConfig> = {
  kind: 'server',
  name: 'grpc-server',
  title: 'gRPC server',
  description:
    'The port that Envoys, agents and collectors send to. All gRPC receivers that name it register their methods on it. Plain text, or TLS when a certificate and its key are given. A connection above accept_limit is told so (GOAWAY with the reason) and closed; connections that are open are never cut.',
  stability: 'stable',
  schema,
  create: (config, settings) => new GrpcServerPlugin(config, settings),
};
