/** One run: OAPs, a middle and a fleet in processes of their own; figures over the steady window only. */
import { systemClock } from '../src/base/index.js';
import { LatencyHistogram, RemoteFleet, RemoteOap, type FleetStats, type OapStats } from '../src/lab/index.js';
import type { BenchCase } from './cases.js';
import { startMiddle, type Middle, type MiddleName } from './middles.js';
import { readUsage } from './process-usage.js';

export interface RunSettings {
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly oaps: number;
  readonly nodeArguments: readonly string[];
}

/** What stands in the middle of a run. */
export interface Contender {
  /** In results; the middle's own name unless there are several of them. */
  readonly name: string;
  readonly middle: MiddleName;
  /** The satellite's configuration file, when it is not the shipped one. */
  readonly configuration?: string;
}

export interface RunResult {
  readonly middle: string;
  /** CPU of the middle for each message that reached an OAP. */
  readonly cpuMicrosPerMessage: number;
  readonly cpuMicrosPerEntry: number;
  /** Of one core. */
  readonly cpuRatio: number;
  readonly residentBytes: number;
  readonly peakResidentBytes: number;
  readonly messagesPerSecond: number;
  readonly wantedMessagesPerSecond: number;
  readonly entriesPerSecond: number;
  readonly wantedEntriesPerSecond: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  /** Most loaded OAP over the mean, in entries. */
  readonly maxOverMean: number;
  readonly bytesOutPerByteIn: number;
  /** Entries sent and never accepted, after everything has ended. */
  readonly lostEntries: number;
  readonly shedEntries: number;
  /** Cost of the tools themselves, for a message and of one core. */
  readonly fleetMicrosPerMessage: number;
  readonly oapMicrosPerMessage: number;
  readonly fleetCpuRatio: number;
  readonly oapCpuRatio: number;
  /** Idle case: memory gained by the streams, for each of them. */
  readonly bytesPerStream: number;
}

/** After the fleet has stopped: the longest hold of a satellite is a flush and a retry. @units ms */
const SETTLE_MS = 10_000;
const SETTLE_STEP_MS = 100;

export async function measure(bench: BenchCase, contender: Contender, settings: RunSettings): Promise<RunResult> {
  const oaps: RemoteOap[] = [];
  let middle: Middle | null = null;
  let fleet: RemoteFleet | null = null;
  try {
    const oapCount = contender.middle === 'direct' ? 1 : settings.oaps;
    while (oaps.length < oapCount) oaps.push(await RemoteOap.start({ check: 'count', ...bench.oap }));
    middle = await startMiddle(contender.middle, {
      oapPorts: oaps.map((oap) => oap.port),
      env: bench.env ?? {},
      nodeArguments: settings.nodeArguments,
      ...(contender.configuration === undefined ? {} : { configuration: contender.configuration }),
    });
    await wait(1000);
    const bare = readUsage(middle.pid);
    const total = settings.seconds + settings.warmupSeconds;
    fleet = await RemoteFleet.start({ ...bench.fleet, port: middle.port, seconds: total + 30 });
    await wait(settings.warmupSeconds * 1000);
    await Promise.all(oaps.map((oap) => oap.resetLatency()));
    const before = await takeState(middle, oaps, fleet);
    await wait(settings.seconds * 1000);
    const after = await takeState(middle, oaps, fleet);
    const end = await fleet.stop();
    const accepted = await settle(oaps, end.entries);
    return evaluate(bench, contender.name, before, after, bare.residentBytes, end, accepted);
  } finally {
    await fleet?.close();
    await middle?.stop();
    await Promise.all(oaps.map((oap) => oap.close()));
  }
}

interface State {
  readonly atMs: number;
  readonly usage: ReturnType<typeof readUsage>;
  readonly oaps: readonly OapStats[];
  readonly fleet: FleetStats;
}

async function takeState(middle: Middle, oaps: readonly RemoteOap[], fleet: RemoteFleet): Promise<State> {
  const usage = readUsage(middle.pid);
  const atMs = systemClock.now();
  const [fleetStats, ...oapStats] = await Promise.all([fleet.stats(), ...oaps.map((oap) => oap.stats())]);
  return { atMs, usage, oaps: oapStats, fleet: fleetStats };
}

/** Waits until all that was sent is accepted, or for `SETTLE_MS`. @returns entries accepted. */
export async function settle(oaps: readonly RemoteOap[], sentEntries: number): Promise<number> {
  const giveUpMs = systemClock.now() + SETTLE_MS;
  for (;;) {
    const accepted = sum(await Promise.all(oaps.map((oap) => oap.stats())), (oap) => oap.acceptedEntries);
    if (accepted >= sentEntries || systemClock.now() > giveUpMs) return accepted;
    await wait(SETTLE_STEP_MS);
  }
}

function evaluate(
  bench: BenchCase,
  middle: string,
  before: State,
  after: State,
  bareBytes: number,
  end: FleetStats,
  acceptedEntries: number,
): RunResult {
  const seconds = (after.atMs - before.atMs) / 1000;
  const entries = after.oaps.map((oap, index) => oap.entries - (before.oaps[index]?.entries ?? 0));
  const totalEntries = sum(entries, (value) => value);
  const delta = (read: (oap: OapStats) => number): number => sum(after.oaps, read) - sum(before.oaps, read);
  const messages = Math.max(
    1,
    delta((oap) => oap.messages),
  );
  const sent = Math.max(1, after.fleet.messages - before.fleet.messages);
  const cpuMs = after.usage.cpuMs - before.usage.cpuMs;
  const fleetCpuMs = after.fleet.cpuMs - before.fleet.cpuMs;
  const oapCpuMs = delta((oap) => oap.cpuMs);
  const latency = new LatencyHistogram();
  for (const oap of after.oaps) latency.add(oap.latency);
  const { entriesPerSecond = 0, entriesPerMessage = 1 } = bench.fleet;
  return {
    middle,
    cpuMicrosPerMessage: (cpuMs * 1000) / messages,
    cpuMicrosPerEntry: (cpuMs * 1000) / Math.max(1, totalEntries),
    cpuRatio: cpuMs / 1000 / seconds,
    residentBytes: after.usage.residentBytes,
    peakResidentBytes: after.usage.peakResidentBytes,
    messagesPerSecond: messages / seconds,
    wantedMessagesPerSecond: entriesPerSecond / entriesPerMessage,
    entriesPerSecond: totalEntries / seconds,
    wantedEntriesPerSecond: entriesPerSecond,
    latencyP50Ms: latency.percentile(0.5),
    latencyP99Ms: latency.percentile(0.99),
    maxOverMean: totalEntries === 0 ? 1 : (Math.max(...entries) * entries.length) / totalEntries,
    bytesOutPerByteIn: delta((oap) => oap.bytes) / Math.max(1, after.fleet.bytes - before.fleet.bytes),
    lostEntries: end.entries - acceptedEntries,
    shedEntries: end.shedEntries,
    fleetMicrosPerMessage: (fleetCpuMs * 1000) / sent,
    oapMicrosPerMessage: (oapCpuMs * 1000) / messages,
    fleetCpuRatio: fleetCpuMs / 1000 / seconds,
    oapCpuRatio: oapCpuMs / 1000 / seconds,
    bytesPerStream: bench.isIdle ? (after.usage.residentBytes - bareBytes) / Math.max(1, after.fleet.streams) : 0,
  };
}

function sum<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.setTimer(ms, resolve);
  });
}
