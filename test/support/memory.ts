/** What a process has of the machine's memory. */
import { readFileSync } from 'node:fs';

export interface Memory {
  /** Without the pages of node's own program (about 50 MiB), which all node processes share. */
  readonly privateMib: number;
  readonly rssMib: number;
}

export function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => {
    const [, kib] = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status) ?? [];
    return Math.round(Number(kib) / 1024);
  };
  return { privateMib: read('RssAnon'), rssMib: read('VmRSS') };
}
