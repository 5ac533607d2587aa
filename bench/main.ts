/**
 * `npm run bench`: what the middle costs, beside a byte relay measured in the same run.
 * Options: --case 1,2 (default all), --runs 3, --seconds 10, --warmup 4, --oaps 2, --middles relay,satellite (also envoy,
 * once installed by scripts/components.mjs, and direct), --node-args=--cpu-prof (for the satellite), --out FOLDER, where
 * latest.md and latest.json are written. --micro: single functions instead.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES } from './cases.js';
import { measure, type RunResult } from './measure.js';
import { runMicros } from './micro.js';
import { MIDDLE_NAMES, type MiddleName } from './middles.js';
import { toMarkdown, type CaseResult } from './report.js';

const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

const { values } = parseArgs({
  options: {
    case: { type: 'string', default: CASES.map((bench) => bench.number).join(',') },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    warmup: { type: 'string', default: '4' },
    oaps: { type: 'string', default: '2' },
    middles: { type: 'string', default: 'relay,satellite' },
    'node-args': { type: 'string', default: '' },
    out: { type: 'string', default: RESULTS },
    micro: { type: 'boolean', default: false },
  },
});

if (values.micro) {
  process.stdout.write(runMicros());
  process.exit(0);
}
const numbers = values.case.split(',').map(Number);
const chosen = CASES.filter((bench) => numbers.includes(bench.number));
const middles = values.middles
  .split(',')
  .filter((name): name is MiddleName => MIDDLE_NAMES.includes(name as MiddleName));
const settings = {
  seconds: Number(values.seconds),
  warmupSeconds: Number(values.warmup),
  oaps: Number(values.oaps),
  nodeArguments: values['node-args'].split(' ').filter((text) => text !== ''),
};

const results: CaseResult[] = [];
for (const bench of chosen) {
  const runs: RunResult[] = [];
  results.push({ bench, runs });
  // Alternating: whatever else the machine does, it does to all of them.
  for (let run = 0; run < Number(values.runs); run++) {
    for (const middle of middles) {
      const result = await measure(bench, middle, settings);
      runs.push(result);
      process.stdout.write(
        `case ${bench.number} run ${run + 1} ${middle}: ${result.cpuMicrosPerMessage.toFixed(1)} µs/message, ` +
          `${(result.residentBytes / 1e6).toFixed(0)} MB, ${result.messagesPerSecond.toFixed(0)} messages/s, ` +
          `lost ${result.lostEntries}, fleet ${result.fleetMicrosPerMessage.toFixed(1)} µs, OAP ${result.oapMicrosPerMessage.toFixed(1)} µs\n`,
      );
    }
  }
}

const [cpu] = cpus();
const head = [
  '# Cost beside a byte relay',
  '',
  `${cpu?.model ?? 'unknown CPU'} × ${cpus().length}, Linux ${release()}, Node ${process.version}; ` +
    `${values.runs} runs of ${values.seconds} s, medians (lowest–highest). CPU is user and system of the middle alone.`,
].join('\n');
const markdown = toMarkdown(results, head);
mkdirSync(values.out, { recursive: true });
writeFileSync(join(values.out, 'latest.md'), markdown);
writeFileSync(join(values.out, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`\n${markdown}`);
process.exit(0);
