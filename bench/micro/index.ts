/**
 * `npm run bench -- --micro`: single functions of the hot path, in this process, without sockets. Figures drift with the
 * machine; what counts is one version of the code against another in the same minute.
 */
import { systemClock } from '../../src/base/index.js';
import { markdownTable } from '../report/columns.js';
import { spreadOf } from '../report/spread.js';
import { createCoreMicros } from './core.js';
import { createDiskMicros } from './disk.js';
import { fillTemplate } from './lab.js';
import type { Micro } from './micro.js';
import { createNetMicros } from './net.js';

const ROUNDS = 7;
/** Long enough for the compiler to settle and the clock to be exact. @units ms */
const ROUND_MS = 150;

/** One line per function: nanoseconds of one execution, median and spread of the rounds. */
export async function runMicros(): Promise<string> {
  const micros = [...createNetMicros(), ...(await createCoreMicros()), ...createDiskMicros(), fillTemplate()];
  const rows = micros.map((micro) => {
    const { median, low, high } = spreadOf(measureRounds(micro));
    return [micro.title, median.toFixed(0), `${low.toFixed(0)}–${high.toFixed(0)}`];
  });
  return `${markdownTable(['function', 'ns', 'spread'], rows)}\n`;
}

function measureRounds(micro: Micro): number[] {
  let times = 100;
  while (elapsedMs(micro, times) < ROUND_MS) times *= 2;
  return Array.from({ length: ROUNDS }, () => (elapsedMs(micro, times) * 1e6) / times);
}

function elapsedMs(micro: Micro, times: number): number {
  const startMs = systemClock.now();
  micro.run(times);
  return systemClock.now() - startMs;
}
