/**
 * Telemetry: the metrics registry, its exporters and the log. The only place that knows prom-client and pino.
 * Neighbours: implements core/telemetry for everything above base; the lifecycle (app) makes one of each at start.
 * Entry points: `MetricsRegistry`, `startExporters`, `createLog`.
 * Invariants: the data path only adds to handles; a scrape sees one instant; every family and every repeated-log key is
 * bounded. Specification: docs/metrics.md, and docs/migrating.md for what the original does.
 */
export * from './errors.js';
export * from './exporters.js';
export * from './exposition.js';
export * from './http-endpoint.js';
export * from './log.js';
export * from './metrics-registry.js';
export * from './self-metrics.js';
