/** The loads of the cost targets: what real meshes send, from small and chatty to large and quiet. */
import type { FleetOptions } from '../src/lab/index.js';

export interface BenchCase {
  readonly number: number;
  readonly title: string;
  readonly fleet: Partial<FleetOptions>;
  /** Nothing is sent but first messages: memory is what counts. */
  readonly isIdle: boolean;
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
  };
}

export const CASES: readonly BenchCase[] = [
  load(1, 150, LARGE, 3000, 2048),
  load(2, 400, SMALL, 15_000, 2048),
  load(3, 2000, LARGE, 3000, 2048),
  load(4, 150, LARGE, 9000, 2048),
  load(5, 800, LARGE, 2400, 60 * 1024),
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
  },
];
