/** Metrics of the gRPC server. */
import type { MetricDefinition } from '../../../core/telemetry.js';

export const GRPC_SERVER_METRICS = {
  connections: {
    name: 'grpc_server_connection_count',
    type: 'gauge',
    help: 'Connections open on the gRPC server.',
    labels: [],
    stability: 'original',
  },
  cpu: {
    name: 'grpc_server_cpu_gauge',
    type: 'gauge',
    help: 'CPU of this process, averaged over 5 s or more, in percent of what it can use: one core, or its container’s quota if that is less.',
    labels: [],
    stability: 'original',
  },
  calls: {
    name: 'satellite_grpc_server_open_calls',
    type: 'gauge',
    help: 'Calls open on the gRPC server.',
    labels: [],
    stability: 'stable',
  },
  reassembly: {
    name: 'satellite_grpc_server_reassembly_bytes',
    type: 'gauge',
    help: 'Memory held by messages that have not arrived completely or are being inflated.',
    labels: [],
    stability: 'stable',
  },
  refused: {
    name: 'satellite_grpc_server_refused_connections_total',
    type: 'counter',
    help: 'Connections refused by accept_limit, by reason.',
    labels: ['reason'],
    stability: 'stable',
  },
  failed: {
    name: 'satellite_grpc_server_failed_connections_total',
    type: 'counter',
    help: 'Connections that ended with an error, by its code.',
    labels: ['code'],
    stability: 'stable',
  },
  unknownMethods: {
    name: 'satellite_grpc_server_unknown_method_calls_total',
    type: 'counter',
    help: 'Calls of methods that no receiver serves, answered UNIMPLEMENTED. The log names them.',
    labels: [],
    stability: 'stable',
  },
  handlerErrors: {
    name: 'satellite_grpc_server_handler_errors_total',
    type: 'counter',
    help: 'Calls ended with INTERNAL because of a bug in Satellite. The log has the stack.',
    labels: [],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;
