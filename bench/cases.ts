/** The loads of the cost targets: what real meshes send, from small and chatty to large and quiet. */
import type { FleetOptions, OapOptions } from '../src/lab/index.js';

export interface BenchCase {
  readonly number: number;
  readonly title: string;
  readonly fleet: Partial<FleetOptions>;
  /** Nothing is sent but first messages: memory is what counts. */
  readonly isIdle: boolean;
  readonly targets: Targets;
  readonly oap?: Partial<OapOptions>;
  /** Variables of the satellite. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the original took of such a load on the machines of its own page. @units cores */
  readonly publishedCores?: number;
}

/** What the satellite may cost and do at most; what is not there has no target. */
export interface Targets {
  /** CPU of a message, as a multiple of that of the byte relay, and of Envoy as a plain proxy. */
  readonly relayRatio?: number;
  readonly envoyRatio?: number;
  readonly residentMb?: number;
  readonly bytesOutPerByteIn?: number;
  readonly kilobytesPerStream?: number;
}

/** 13 entries of Istio's size exceed Envoy's buffer of 16 KB, which makes it flush. */
const LARGE = { entriesPerMessage: 13, entryBytes: 1270 };
const SMALL = { entriesPerMessage: 1, entryBytes: 1200 };

function load(
  number: number,
  envoys: number,
  shape: { readonly entriesPerMessage: number; readonly entryBytes: number },
  messagesPerSecond: number,
  identifierBytes: number,
  targets: Targets,
): BenchCase {
  const size = shape === LARGE ? '16 KB' : '1.2 KB';
  const identity = identifierBytes > 4096 ? ` with ${Math.round(identifierBytes / 1024)} KB identifiers` : '';
  return {
    number,
    title: `${envoys} Envoys${identity}, ${size} × ${messagesPerSecond}/s`,
    fleet: {
      ...shape,
      envoys,
      identifierBytes,
      entriesPerSecond: messagesPerSecond * shape.entriesPerMessage,
      // Full messages only, so that their number is known.
      flushIntervalMs: 0,
      connectOverMs: 1500,
    },
    isIdle: false,
    targets,
  };
}

export const CASES: readonly BenchCase[] = [
  load(1, 150, LARGE, 3000, 2048, { relayRatio: 1.2, envoyRatio: 1, residentMb: 140, bytesOutPerByteIn: 1.06 }),
  load(2, 400, SMALL, 15_000, 2048, { relayRatio: 0.9, envoyRatio: 0.8, residentMb: 100 }),
  load(3, 2000, LARGE, 3000, 2048, { relayRatio: 1.2, envoyRatio: 1.2, residentMb: 170, bytesOutPerByteIn: 1.15 }),
  load(4, 150, LARGE, 9000, 2048, { relayRatio: 1.1, residentMb: 200, bytesOutPerByteIn: 1.06 }),
  load(5, 800, LARGE, 2400, 60 * 1024, { relayRatio: 1.2, residentMb: 160 }),
  {
    number: 6,
    title: '4600 idle streams on 2300 connections',
    fleet: {
      envoys: 2300,
      streamsPerConnection: 2,
      entriesPerSecond: 0,
      identifierBytes: 2048,
      greet: true,
      connectOverMs: 3000,
    },
    isIdle: true,
    targets: { kilobytesPerStream: 25 },
  },
];

/** What holds for every load: shipped windows are 1 s; latency is half of one and 20 ms, at worst one and 100 ms. */
export const EVERY_LOAD = { p50Ms: 520, p99Ms: 1100, maxOverMean: 1.05, lostEntries: 0 } as const;
