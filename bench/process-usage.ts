/** CPU and memory of another process, as Linux counts them. */
import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** User and system. @units ms, in steps of 10 */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Highest so far. */
  readonly peakResidentBytes: number;
}

/** `sysconf(_SC_CLK_TCK)` is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** @throws when there is no such process, or no /proc. */
export function readUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name may hold spaces and parentheses; the fields count from behind it: utime is 14th of all, stime 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: kilobytes('VmRSS') * 1024,
    peakResidentBytes: kilobytes('VmHWM') * 1024,
  };
}
