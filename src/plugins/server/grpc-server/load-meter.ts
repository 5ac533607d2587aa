/**
 * How busy this process is, in percent of what it can do: the larger of its CPU against what it may use and of its event
 * loop's utilisation. A busy neighbour on the machine changes neither, as long as this process has little to do.
 *
 * Measured without a timer: a reading older than the period is replaced by the average since then when somebody asks.
 */
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../base/index.js';
import { readSystemText } from './fs.js';

/** As in the original. */
const PERIOD_MS = 5000;

/** Cores that this process may use: the machine's, or its container's quota if that is less. */
export function usableCores(quotaCores: number): number {
  return Math.min(quotaCores, availableParallelism());
}

/** Cores that the container's quota allows; Infinity without one. */
export function readQuotaCores(read: (path: string) => string = readSystemText): number {
  const [quota, period] = read('/sys/fs/cgroup/cpu.max').trim().split(' ').map(Number);
  if (quota !== undefined && period !== undefined && quota > 0 && period > 0) return quota / period;
  const quotaV1 = Number(read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'));
  const periodV1 = Number(read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'));
  return quotaV1 > 0 && periodV1 > 0 ? quotaV1 / periodV1 : Infinity;
}

/** Sums since the start of the process. @units ms */
export interface WorkDone {
  readonly cpuMs: number;
  /** Time the event loop was not waiting for anything. */
  readonly loopMs: number;
}

export class LoadMeter {
  /** Periods measured so far. */
  readings = 0;
  private readonly clock: Clock;
  private readonly cores: number;
  private readonly readWork: () => WorkDone;
  private takenMs: number;
  private taken: WorkDone;
  private cpu = 0;
  private loop = 0;

  constructor(clock: Clock, cores: number, readWork: () => WorkDone = processWork) {
    this.clock = clock;
    this.cores = cores;
    this.readWork = readWork;
    this.takenMs = clock.now();
    this.taken = readWork();
  }

  // Each is 0 until the first period has passed; 100 means that it can take no more.

  cpuPercent(): number {
    this.renew();
    return this.cpu;
  }

  loopPercent(): number {
    this.renew();
    return this.loop;
  }

  private renew(): void {
    const elapsedMs = this.clock.now() - this.takenMs;
    if (elapsedMs < PERIOD_MS) return;
    const work = this.readWork();
    this.cpu = percentOf(work.cpuMs - this.taken.cpuMs, elapsedMs * this.cores);
    this.loop = percentOf(work.loopMs - this.taken.loopMs, elapsedMs);
    this.takenMs += elapsedMs;
    this.taken = work;
    this.readings++;
  }
}

function percentOf(part: number, whole: number): number {
  return Math.min(100, (100 * part) / whole);
}

function processWork(): WorkDone {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, loopMs: performance.eventLoopUtilization().active };
}
