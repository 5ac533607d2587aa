/**
 * `npm run bench -- --attack`: what one bad peer costs its neighbours. The same moderate load (case 1 at half its rate), first
 * alone, then beside one attacking connection; latency of its entries, round trips of a neighbour's PING, memory, and which
 * guards took hold. Wanted: p99 below twice as long, memory flat.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LatencyHistogram, RemoteFleet, RemoteOap } from '../src/lab/index.js';
import { SatelliteProcess } from '../src/lab/demo/index.js';
import { ATTACKS } from './attacks/index.js';
import { CASES } from './cases.js';
import { gains, readCounters } from './counter-page.js';
import { describeMachine } from './machine.js';
import { settle, wait } from './measure.js';
import { PingProbe } from './ping-probe.js';
import { readUsage } from './process-usage.js';

const ATTACKER = fileURLToPath(new URL('./attacks/attacker.js', import.meta.url));
const LOAD = CASES[0]!.fleet;
const OAPS = 2;
/** Of a container that a mesh would give it: what the budget bounds must show. */
const MEMORY_LIMIT = '512MiB';
const WARM_UP_MS = 5000;
/** After an attack: what it held should be gone. */
const RECOVERY_MS = 3000;
const SAMPLE_MS = 200;
const TELLING = /guard_trips|protocol_errors|failed_connections|refused_connections|ledger_dropped_count.*"messages"/;

/** One phase of a run, alone or under attack. */
export interface Phase {
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  readonly pingP99Ms: number;
  readonly pingMaxMs: number;
  readonly cpuRatio: number;
  readonly highestResidentBytes: number;
}

export interface AttackResult {
  readonly attack: string;
  readonly title: string;
  readonly alone: Phase;
  readonly attacked: Phase;
  readonly residentBytesAfter: number;
  readonly lostEntries: number;
  readonly attackerCpuRatio: number;
  /** Series of the satellite's own page that moved, and by how much. */
  readonly tripped: readonly (readonly [string, number])[];
  readonly machine: string;
  readonly date: string;
}

export async function measureAttack(attack: string, seconds: number): Promise<AttackResult> {
  const oaps: RemoteOap[] = [];
  let satellite: SatelliteProcess | null = null;
  let fleet: RemoteFleet | null = null;
  let probe: PingProbe | null = null;
  try {
    while (oaps.length < OAPS) oaps.push(await RemoteOap.start({ check: 'count' }));
    satellite = await SatelliteProcess.start(
      oaps.map((oap) => oap.port),
      { env: { SATELLITE_RESOURCES_MEMORY_LIMIT: MEMORY_LIMIT } },
    );
    const { pid, port, metricsPort } = satellite;
    fleet = await RemoteFleet.start({ ...LOAD, entriesPerSecond: LOAD.entriesPerSecond! / 2, port, seconds: 600 });
    probe = new PingProbe(port);
    await wait(WARM_UP_MS);
    const alone = await observe(pid, oaps, probe, seconds);
    const before = await readCounters(metricsPort);
    const attacker = spawn(process.execPath, [ATTACKER, '--attack', attack, '--port', `${port}`], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const attacked = await observe(pid, oaps, probe, seconds);
    const attackerCpuMs = readUsage(attacker.pid!).cpuMs;
    attacker.stdin.end();
    await once(attacker, 'exit');
    await wait(RECOVERY_MS);
    const residentBytesAfter = readUsage(pid).residentBytes;
    const { entries } = await fleet.stop();
    const lostEntries = entries - (await settle(oaps, entries));
    return {
      attack,
      title: ATTACKS.get(attack)?.title ?? '',
      alone,
      attacked,
      residentBytesAfter,
      lostEntries,
      attackerCpuRatio: attackerCpuMs / 1000 / seconds,
      tripped: gains(before, await readCounters(metricsPort), TELLING),
      ...describeMachine(),
    };
  } finally {
    probe?.close();
    await fleet?.close();
    await satellite?.stop();
    await Promise.all(oaps.map((oap) => oap.close()));
  }
}

async function observe(pid: number, oaps: readonly RemoteOap[], probe: PingProbe, seconds: number): Promise<Phase> {
  await Promise.all(oaps.map((oap) => oap.resetLatency()));
  probe.take();
  const before = readUsage(pid);
  let highestResidentBytes = 0;
  for (let ms = 0; ms < seconds * 1000; ms += SAMPLE_MS) {
    await wait(SAMPLE_MS);
    highestResidentBytes = Math.max(highestResidentBytes, readUsage(pid).residentBytes);
  }
  const cpuMs = readUsage(pid).cpuMs - before.cpuMs;
  const pings = probe.take();
  const latency = new LatencyHistogram();
  for (const stats of await Promise.all(oaps.map((oap) => oap.stats()))) latency.add(stats.latency);
  return {
    latencyP50Ms: latency.percentile(0.5),
    latencyP99Ms: latency.percentile(0.99),
    pingP99Ms: pings[Math.floor(pings.length * 0.99)] ?? Infinity,
    pingMaxMs: pings.at(-1) ?? Infinity,
    cpuRatio: cpuMs / 1000 / seconds,
    highestResidentBytes,
  };
}
