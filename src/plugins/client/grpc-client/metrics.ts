/** Metrics of the gRPC client itself; those of its endpoints are in core/balance. */
import type { MetricDefinition } from '../../../core/telemetry.js';

export const GRPC_CLIENT_METRICS = {
  guardTrips: {
    name: 'satellite_grpc_client_guard_trips_total',
    type: 'counter',
    help: 'Connections to backends cut off because the backend sent far more of something than any honest one does, by guard.',
    labels: ['guard'],
    stability: 'stable',
  },
  protocolErrors: {
    name: 'satellite_grpc_client_protocol_errors_total',
    type: 'counter',
    help: 'Connections and streams ended because a backend broke a rule of HTTP/2, by the code it was told.',
    labels: ['scope', 'code'],
    stability: 'stable',
  },
  certificateExpiry: {
    name: 'satellite_grpc_client_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the certificate that Satellite shows to the backends expires, in Unix seconds; absent without one.',
    labels: [],
    stability: 'stable',
  },
  tlsReloads: {
    name: 'satellite_grpc_client_tls_reloads_total',
    type: 'counter',
    help: 'Changes of the TLS files for the backends: taken over for new connections (ok), or refused while the old ones stay in use (error).',
    labels: ['result'],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;
