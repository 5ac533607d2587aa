/**
 * The rows of the table that the original publishes (its page "als-load-balance"), as loads: so many Envoys, so many
 * entries a second. What the page does not say is as a real mesh has it: two workers an Envoy, thus two connections with a
 * stream each; entries of Istio's size; a flush at 16 KB or after a second; a stock Envoy's identifier of 63 KB in front of
 * each stream. The settings are those of the page.
 */
import type { BenchCase } from './cases.js';

/** Envoys, entries a second, and the cores that the original took on the page's own machines. */
const ROWS: readonly (readonly [number, number, number])[] = [
  [150, 50_000, 1.2],
  [150, 80_000, 1.8],
  [300, 50_000, 1.4],
  [300, 100_000, 2.2],
  [800, 50_000, 1.5],
  [800, 100_000, 2.6],
  [1500, 50_000, 1.7],
  [1500, 100_000, 2.7],
  [2300, 50_000, 1.8],
  [2300, 90_000, 2.5],
  [2300, 110_000, 3.2],
];

const ENV: Readonly<Record<string, string>> = {
  SATELLITE_QUEUE_PARTITION: '50',
  SATELLITE_QUEUE_EVENT_BUFFER_SIZE: '3000',
  SATELLITE_ENVOY_ALS_V3_PIPE_RECEIVER_FLUSH_TIME: '3000',
  SATELLITE_ENVOY_ALS_V3_PIPE_SENDER_FLUSH_TIME: '3000',
  // 4600 connections, where the shipped limit is 4000.
  SATELLITE_GRPC_ACCEPT_LIMIT_CONNECTION_COUNT: '6000',
  // The load shares the machine: its CPU is no reason to refuse an Envoy.
  SATELLITE_GRPC_ACCEPT_LIMIT_CPU_UTILIZATION: '100',
};

export const TABLE: readonly BenchCase[] = ROWS.map(([envoys, entriesPerSecond, publishedCores], index) => ({
  number: index + 1,
  title: `${envoys} Envoys, ${entriesPerSecond} entries/s`,
  fleet: {
    envoys,
    entriesPerSecond,
    connectionsPerEnvoy: 2,
    // The first that exceed Envoy's buffer of 16 KB.
    entriesPerMessage: 14,
    entryBytes: 1200,
    identifierBytes: 62_900,
    flushIntervalMs: 1000,
    connectOverMs: 4000,
  },
  oap: { maxConcurrentStreams: 50 },
  env: ENV,
  isIdle: false,
  targets: {},
  publishedCores,
}));

/** Connecting, and then twice the longest window. @units s */
export const TABLE_WARM_UP_SECONDS = 11;
/** As on the page. */
export const TABLE_OAPS = 6;
