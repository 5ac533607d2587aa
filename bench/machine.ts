/** Where and when figures were measured. */
import { cpus, release, totalmem } from 'node:os';
import { systemClock } from '../src/base/index.js';

export function describeMachine(): { readonly machine: string; readonly date: string } {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return {
    machine: `${cpu?.model ?? 'unknown CPU'} × ${cpus().length}, ${memory}, Linux ${release()}, Node ${process.version}`,
    date: new Date(systemClock.wallNow()).toISOString().slice(0, 10),
  };
}
