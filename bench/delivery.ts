/**
 * `npm run bench -- --delivery`: what it costs to lose nothing. Case 1 with the shipped configuration, without the sender's
 * retry, and with the disk queue in the place of the memory queue. Wanted: retry at most 1.03 times the cost without, the
 * disk queue at most 1.6 times that of the memory queue. CPU is that of the whole process, its thread pool included; what
 * the kernel does later to write pages back is in none of these figures.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { writeTemporary } from '../test/support/temporary.js';
import { CASES } from './cases.js';
import { compare, type CaseResult } from './compare.js';
import type { Contender, RunSettings } from './measure.js';

const CONFIGURATION = fileURLToPath(new URL('../../configs/satellite_config.yaml', import.meta.url));
/** On the file system of the project: the system's own folder for temporary files may be memory. */
const DIST = fileURLToPath(new URL('..', import.meta.url));
const PIPE = 'envoy-als-v3';

export const SHIPPED = 'memory queue, retry';
export const WITHOUT_RETRY = 'memory queue, no retry';
export const WITH_DISK = 'disk queue, retry';

export function measureDelivery(rounds: number, settings: RunSettings): Promise<CaseResult> {
  const directory = mkdtempSync(join(DIST, 'bench-queue-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  const contenders: Contender[] = [
    { name: SHIPPED, middle: 'satellite' },
    {
      name: WITHOUT_RETRY,
      middle: 'satellite',
      configuration: variant(['sender', 'retry'], { enabled: false }),
    },
    {
      name: WITH_DISK,
      middle: 'satellite',
      configuration: variant(['gatherer', 'queue'], { plugin_name: 'mmap-queue', directory, fsync: 'interval' }),
    },
  ];
  return compare(CASES[0]!, contenders, rounds, settings);
}

/** The shipped configuration with one value of the access-log pipe replaced. @returns path of the file. */
function variant(path: readonly string[], value: object): string {
  const document = parseDocument(readFileSync(CONFIGURATION, 'utf8'));
  const { pipes } = document.toJS() as { pipes: readonly { common_config: { pipe_name: string } }[] };
  const index = pipes.findIndex((pipe) => pipe.common_config.pipe_name === PIPE);
  document.setIn(['pipes', index, ...path], document.createNode(value));
  return writeTemporary('satellite.yaml', document.toString());
}
