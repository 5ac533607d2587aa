/**
 * Client `grpc-client`: the balanced channel to OAP servers over gRPC.
 * Above: pipes, through core/channel. Below: core/balance for the channel, net/socket for connections, a finder for addresses.
 * Entry points: createGrpcClient, given the finders there are.
 * Invariants: the authentication header goes with every call; TLS files are read only with enable_tls, and followed.
 * Spec: docs/config (grpc-client).
 */
import { SatelliteError } from '../../../base/index.js';
import type { FinderDefinition } from '../../../core/balance/index.js';
import type { ClientDefinition } from '../../../core/plugin.js';
import type { Metrics } from '../../../core/telemetry.js';
import { errorCodeName, Http2Counters } from '../../../net/http2/index.js';
import { createDial } from '../../../net/socket/index.js';
import { createSchema } from './config.js';
import type { GrpcClientConfig } from './config.js';
import { GrpcClient } from './grpc-client.js';
import { GRPC_CLIENT_METRICS } from './metrics.js';

export type { GrpcClientConfig } from './config.js';
export { GRPC_CLIENT_ERRORS } from './errors.js';
export { GRPC_CLIENT_METRICS } from './metrics.js';

/** Puts what backends do wrong into metrics. */
function countFaults(metrics: Metrics): Http2Counters {
  return new Http2Counters({
    onGuardTrip: (guard) => metrics.counter(GRPC_CLIENT_METRICS.guardTrips, { guard }).value++,
    onProtocolError: (scope, code) =>
      metrics.counter(GRPC_CLIENT_METRICS.protocolErrors, { scope, code: errorCodeName(code) }).value++,
  });
}

/** What replies on their way may hold in all; those of batches are empty, so these are answers to relayed calls. */
const MAX_REPLIES_BYTES = 64 << 20;

/** The definition, offering `finders` as `finder_type`; the first is the default. */
export function createGrpcClient(
  finders: readonly [FinderDefinition, ...FinderDefinition[]],
): ClientDefinition<GrpcClientConfig> {
  const byName = new Map(finders.map((finder) => [finder.name, finder]));
  return {
    kind: 'client',
    name: 'grpc-client',
    title: 'gRPC client',
    description:
      'Connects to a cluster of OAP servers and spreads batches over it by what each server has to do and how fast it ' +
      'answers. A server that fails is left out and tried again by itself; one that joins takes its share within seconds.',
    stability: 'stable',
    schema: createSchema(finders.map((finder) => finder.name) as [string, ...string[]]),
    create: (config, settings) => {
      const dial = createDial({
        clock: settings.clock,
        counters: countFaults(settings.metrics),
        maxReassemblyBytes: MAX_REPLIES_BYTES,
        budget: settings.budget,
        onBug: (error) => {
          settings.log.repeated('error', 'grpc-client-bug', SatelliteError.from(error).message);
        },
      });
      return new GrpcClient(config, settings, byName.get(config.finder_type)!.create(config, settings), dial);
    },
  };
}
