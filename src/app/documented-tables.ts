/** The tables that the generated pages docs/metrics.md and docs/errors.md are made of: every layer's, in one list. */
import { BUG } from '../base/index.js';
import { ALS_METRICS } from '../core/als/metrics.js';
import { ENDPOINT_METRICS } from '../core/balance/metrics.js';
import * as ledgerMetrics from '../core/ledger.js';
import { PIPE_METRICS } from '../core/pipe/metrics.js';
import { RECOVERY_METRICS } from '../core/pipe/recovery.js';
import type { MetricDefinition } from '../core/telemetry.js';
import { HPACK_ERRORS } from '../net/hpack/index.js';
import { HTTP2_ERRORS } from '../net/http2/index.js';
import * as grpcErrors from '../net/grpc/errors.js';
import { NET_ERRORS } from '../net/socket/errors.js';
import { GRPC_CLIENT_ERRORS } from '../plugins/client/grpc-client/errors.js';
import { GRPC_CLIENT_METRICS } from '../plugins/client/grpc-client/metrics.js';
import { DISK_QUEUE_ERRORS } from '../plugins/queue/mmap-queue/errors.js';
import { DISK_QUEUE_METRICS } from '../plugins/queue/mmap-queue/metrics.js';
import { GRPC_SERVER_METRICS } from '../plugins/server/grpc-server/metrics.js';
import { CONFIG_ERRORS } from './config/index.js';
import type { DocumentedTables } from './config/docs/index.js';
import { SUPERVISOR_METRICS } from './supervisor.js';
import { SELF_METRICS, TELEMETRY_ERRORS } from './telemetry/index.js';
import { TOPOLOGY_ERRORS } from './topology.js';

const { LEDGER_RECEIVED, LEDGER_DELIVERED, LEDGER_DROPPED, LEDGER_HELD } = ledgerMetrics;

function byMetricName(definitions: readonly MetricDefinition[]): Readonly<Record<string, MetricDefinition>> {
  return Object.fromEntries(definitions.map((definition) => [definition.name, definition]));
}

export const DOCUMENTED_TABLES: DocumentedTables = {
  metrics: [
    PIPE_METRICS,
    RECOVERY_METRICS,
    { LEDGER_RECEIVED, LEDGER_DELIVERED, LEDGER_DROPPED, LEDGER_HELD },
    ALS_METRICS,
    ENDPOINT_METRICS,
    GRPC_SERVER_METRICS,
    GRPC_CLIENT_METRICS,
    DISK_QUEUE_METRICS,
    byMetricName(SELF_METRICS),
    SUPERVISOR_METRICS,
  ],
  errors: [
    CONFIG_ERRORS,
    Object.fromEntries(TOPOLOGY_ERRORS.map((kind) => [kind.code, kind])),
    NET_ERRORS,
    GRPC_CLIENT_ERRORS,
    DISK_QUEUE_ERRORS,
    HTTP2_ERRORS,
    HPACK_ERRORS,
    { ...grpcErrors },
    Object.fromEntries(TELEMETRY_ERRORS.map((kind) => [kind.code, kind])),
    { BUG },
  ],
};
