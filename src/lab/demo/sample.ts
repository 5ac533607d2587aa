/** One moment of the demo, and what happened between two of them. */
import type { FleetStats } from '../fleet/index.js';
import { LatencyHistogram } from '../latency-histogram.js';
import type { OapStats } from '../oap/index.js';
import type { SatelliteMetrics } from './satellite-metrics.js';

export interface Sample {
  readonly atMs: number;
  readonly fleet: FleetStats;
  readonly oaps: readonly OapStats[];
  readonly satellite: SatelliteMetrics;
}

/** Figures of the time between two samples. */
export interface Interval {
  readonly entriesIn: number;
  readonly messagesIn: number;
  readonly bytesIn: number;
  readonly entriesOut: number;
  /** Entries per second and OAP. */
  readonly perOap: readonly number[];
  /** Largest share over the mean; 1 is perfect. */
  readonly maxOverMean: number;
  /** Of one core. */
  readonly cpuRatio: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
}

export function compareSamples(before: Sample, after: Sample): Interval {
  const seconds = Math.max(0.001, (after.atMs - before.atMs) / 1000);
  const perOap = after.oaps.map((oap, index) => (oap.entries - (before.oaps[index]?.entries ?? 0)) / seconds);
  const entriesOut = perOap.reduce((sum, rate) => sum + rate, 0);
  const latency = new LatencyHistogram();
  for (const oap of after.oaps) latency.add(oap.latency);
  return {
    entriesIn: (after.fleet.entries - before.fleet.entries) / seconds,
    messagesIn: (after.fleet.messages - before.fleet.messages) / seconds,
    bytesIn: (after.fleet.bytes - before.fleet.bytes) / seconds,
    entriesOut,
    perOap,
    maxOverMean: entriesOut === 0 ? 1 : (Math.max(...perOap) * perOap.length) / entriesOut,
    cpuRatio: (after.satellite.cpuSeconds - before.satellite.cpuSeconds) / seconds,
    latencyP50Ms: latency.percentile(0.5),
    latencyP99Ms: latency.percentile(0.99),
  };
}
