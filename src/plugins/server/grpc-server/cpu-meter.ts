/**
 * CPU of this process in percent of what it can use. Measured without a timer: a reading older than the period is
 * replaced by the average since then when somebody asks.
 */
import { availableParallelism } from 'node:os';
import type { Clock } from '../../../base/index.js';
import { readSystemText } from './fs.js';

/** As in the original: short enough to notice overload, long enough that one burst of reconnects is not one. */
const PERIOD_MS = 5000;

/** Cores that one process can use: one event loop runs on one core, and a container may have less. */
export function usableCores(quotaCores: number): number {
  return Math.min(1, quotaCores, availableParallelism());
}

/** Cores that the container's quota allows; Infinity without one. */
export function readQuotaCores(read: (path: string) => string = readSystemText): number {
  const [quota, period] = read('/sys/fs/cgroup/cpu.max').trim().split(' ').map(Number);
  if (quota !== undefined && period !== undefined && quota > 0 && period > 0) return quota / period;
  const quotaV1 = Number(read('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'));
  const periodV1 = Number(read('/sys/fs/cgroup/cpu/cpu.cfs_period_us'));
  return quotaV1 > 0 && periodV1 > 0 ? quotaV1 / periodV1 : Infinity;
}

export class CpuMeter {
  private readonly clock: Clock;
  private readonly cores: number;
  private readonly readCpuMs: () => number;
  private takenMs: number;
  private takenCpuMs: number;
  private reading = 0;

  constructor(clock: Clock, cores: number, readCpuMs: () => number = processCpuMs) {
    this.clock = clock;
    this.cores = cores;
    this.readCpuMs = readCpuMs;
    this.takenMs = clock.now();
    this.takenCpuMs = readCpuMs();
  }

  /** 0 until the first period has passed; 100 means that it can take no more. */
  percent(): number {
    const elapsedMs = this.clock.now() - this.takenMs;
    if (elapsedMs < PERIOD_MS) return this.reading;
    const cpuMs = this.readCpuMs();
    this.reading = Math.min(100, (100 * (cpuMs - this.takenCpuMs)) / (elapsedMs * this.cores));
    this.takenMs += elapsedMs;
    this.takenCpuMs = cpuMs;
    return this.reading;
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
