/**
 * `npm run bench`: what the middle costs, beside a byte relay measured in the same run.
 * Options: --case 1,2 (default all), --runs 3, --seconds 10, --warmup 4, --oaps 2, --middles relay,satellite (also haproxy
 * and envoy, once installed by scripts/components.mjs, and direct), --node-args=--cpu-prof (for the satellite), --out FOLDER
 * for results. --micro: single functions instead; --reads: ways to read sockets instead.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES } from './cases.js';
import { compare, type CaseResult } from './compare.js';
import type { Contender } from './measure.js';
import { runMicros } from './micro.js';
import { MIDDLE_NAMES, whyMissing, type MiddleName } from './middles.js';
import { casesPage } from './report/cases.js';
import { runReads } from './reads.js';
import { mergeResults, saveResults } from './report/results-file.js';

const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

const { values } = parseArgs({
  options: {
    case: { type: 'string' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    warmup: { type: 'string', default: '4' },
    oaps: { type: 'string', default: '2' },
    middles: { type: 'string', default: 'relay,satellite' },
    'node-args': { type: 'string', default: '' },
    out: { type: 'string', default: RESULTS },
    micro: { type: 'boolean', default: false },
    reads: { type: 'boolean', default: false },
  },
});

/** The middles asked for, without those that are not installed, which are named. */
function contenders(): Contender[] {
  const names = values.middles.split(',').map((name) => {
    if (!MIDDLE_NAMES.includes(name as MiddleName)) throw new Error(`no middle ${name}: ${MIDDLE_NAMES.join(', ')}`);
    return name as MiddleName;
  });
  return names.flatMap((name) => {
    const reason = whyMissing(name);
    if (reason !== null) process.stdout.write(`${name} is left out: ${reason}\n`);
    return reason === null ? [{ name, middle: name }] : [];
  });
}

async function runCases(): Promise<void> {
  const numbers = values.case?.split(',').map(Number);
  const chosen = CASES.filter((bench) => numbers === undefined || numbers.includes(bench.number));
  const results: CaseResult[] = [];
  for (const bench of chosen) {
    results.push(
      await compare(bench, contenders(), Number(values.runs), {
        seconds: Number(values.seconds),
        warmupSeconds: Number(values.warmup),
        oaps: Number(values.oaps),
        nodeArguments: values['node-args'].split(' ').filter((text) => text !== ''),
      }),
    );
  }
  const merged = mergeResults(values.out, 'latest', results);
  saveResults(values.out, 'latest', casesPage(merged), merged);
  process.stdout.write(`\n${casesPage(results)}`);
}

if (values.micro) process.stdout.write(runMicros());
else if (values.reads) process.stdout.write(await runReads(Number(values.runs), Number(values.seconds)));
else await runCases();
process.exit(0);
