/** What the process says about itself beside prom-client's own process metrics. */
import { performance } from 'node:perf_hooks';
import type { MemoryBudget } from '../../core/budget.js';
import type { MetricDefinition } from '../../core/telemetry.js';
import type { MetricsRegistry } from './metrics-registry.js';

function gauge(name: string, help: string, labels: readonly string[] = []): MetricDefinition {
  return { name, type: 'gauge', help, labels, stability: 'stable' };
}

export const BUILD_INFO = gauge('satellite_build_info', 'Always 1; the labels name what is running.', [
  'version',
  'node_version',
]);

export const EVENT_LOOP_UTILIZATION = gauge(
  'satellite_event_loop_utilization_ratio',
  'Share of time the event loop was busy since the last scrape, 0 to 1; near 1 the process is saturated.',
);

export const BUDGET_USED = gauge(
  'satellite_memory_budget_used_bytes',
  'Bytes of the memory budget that are reserved now by messages, identifiers, windows, queues and batches.',
);

export const BUDGET_PEAK = gauge(
  'satellite_memory_budget_peak_bytes',
  'Most bytes of the memory budget ever reserved at once since the start.',
);

export const BUDGET_LIMIT = gauge(
  'satellite_memory_budget_limit_bytes',
  'The memory budget (resources.memory_limit); when it is used up, data is refused by each pipe’s when_full.',
);

export const SERIES_REFUSED = gauge(
  'satellite_metric_series_refused',
  'Requests for a new series that found its family full and share the series labelled "other".',
);

/** All of the above, for docs/metrics.md. */
export const SELF_METRICS: readonly MetricDefinition[] = [
  BUILD_INFO,
  EVENT_LOOP_UTILIZATION,
  BUDGET_USED,
  BUDGET_PEAK,
  BUDGET_LIMIT,
  SERIES_REFUSED,
];

/** Registers the metrics above for the life of the process. */
export function registerSelfMetrics(metrics: MetricsRegistry, budget: MemoryBudget, version: string): void {
  metrics.gauge(BUILD_INFO, { version, node_version: process.version }, () => 1);
  let last = performance.eventLoopUtilization();
  metrics.gauge(EVENT_LOOP_UTILIZATION, {}, () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  });
  metrics.gauge(BUDGET_USED, {}, () => budget.usedBytes);
  metrics.gauge(BUDGET_PEAK, {}, () => budget.peakBytes);
  metrics.gauge(BUDGET_LIMIT, {}, () => budget.limitBytes);
  metrics.gauge(SERIES_REFUSED, {}, () => metrics.refusedSeries);
}
