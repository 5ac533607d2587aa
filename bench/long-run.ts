/**
 * `npm run bench -- --long SECONDS`: does anything grow? One satellite under the full load of a case (default 4), its memory
 * and handles looked at every few seconds, and a straight line laid through what came after the warm-up.
 */
import { readdirSync } from 'node:fs';
import { RemoteFleet, RemoteOap } from '../src/lab/index.js';
import { SatelliteProcess } from '../src/lab/demo/index.js';
import type { BenchCase } from './cases.js';
import { readCounters } from './counter-page.js';
import { describeMachine } from './machine.js';
import { settle, wait, type RunSettings } from './measure.js';
import { readUsage } from './process-usage.js';

/** @units s */
const EVERY_SECONDS = 2;
/** Memory finds its level in the first part of a run. */
const WARM_UP_RATIO = 0.2;

export interface Sample {
  /** Since the load began. */
  readonly seconds: number;
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  readonly handles: number;
  /** CPU of the satellite since the sample before, of one core. */
  readonly cpuRatio: number;
  readonly entries: number;
}

export interface LongResult {
  readonly title: string;
  readonly samples: readonly Sample[];
  /** First sample behind the warm-up. */
  readonly steadyFrom: number;
  readonly lostEntries: number;
  readonly shedEntries: number;
  readonly machine: string;
  readonly date: string;
}

export async function runLong(bench: BenchCase, seconds: number, settings: RunSettings): Promise<LongResult> {
  const oaps: RemoteOap[] = [];
  let satellite: SatelliteProcess | null = null;
  let fleet: RemoteFleet | null = null;
  try {
    while (oaps.length < settings.oaps) oaps.push(await RemoteOap.start({ check: 'count' }));
    satellite = await SatelliteProcess.start(
      oaps.map((oap) => oap.port),
      { nodeArguments: settings.nodeArguments },
    );
    fleet = await RemoteFleet.start({ ...bench.fleet, port: satellite.port, seconds: seconds + 60 });
    const samples: Sample[] = [];
    let cpuMs = readUsage(satellite.pid).cpuMs;
    while (samples.length * EVERY_SECONDS < seconds) {
      await wait(EVERY_SECONDS * 1000);
      const usage = readUsage(satellite.pid);
      samples.push(await sample(satellite, oaps, (samples.length + 1) * EVERY_SECONDS, usage.cpuMs - cpuMs));
      cpuMs = usage.cpuMs;
    }
    const end = await fleet.stop();
    return {
      title: bench.title,
      samples,
      steadyFrom: Math.floor(samples.length * WARM_UP_RATIO),
      lostEntries: end.entries - (await settle(oaps, end.entries)),
      shedEntries: end.shedEntries,
      ...describeMachine(),
    };
  } finally {
    await fleet?.close();
    await satellite?.stop();
    await Promise.all(oaps.map((oap) => oap.close()));
  }
}

async function sample(
  { pid, metricsPort }: SatelliteProcess,
  oaps: readonly RemoteOap[],
  seconds: number,
  cpuMs: number,
): Promise<Sample> {
  const counters = await readCounters(metricsPort);
  const stats = await Promise.all(oaps.map((oap) => oap.stats()));
  return {
    seconds,
    residentBytes: readUsage(pid).residentBytes,
    heapUsedBytes: counters.get('nodejs_heap_size_used_bytes') ?? 0,
    externalBytes: counters.get('nodejs_external_memory_bytes') ?? 0,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    cpuRatio: cpuMs / 1000 / EVERY_SECONDS,
    entries: stats.reduce((sum, { acceptedEntries }) => sum + acceptedEntries, 0),
  };
}

/** Slope of the straight line through the points, by least squares; 0 for fewer than two. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (points.length < 2 || spread === 0) return 0;
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
