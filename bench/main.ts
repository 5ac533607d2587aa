/**
 * `npm run bench`: what the middle costs, beside a byte relay measured in the same run.
 * Options: --case 1,2 (default all), --runs 3, --seconds 10, --warmup 4, --oaps 2, --middles relay,satellite (also haproxy
 * and envoy, once installed by scripts/components.mjs, and direct), --node-args=--cpu-prof (for the satellite), --out FOLDER
 * for results. Instead of the cases: --table (rows of the published table, chosen by --case too), --attack (--only NAMES),
 * --delivery (retry and disk queue), --long SECONDS (growth under the load of one --case, default 4), --micro (single
 * functions), --reads (ways to read sockets).
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAttack, type AttackResult } from './attack.js';
import { ATTACKS } from './attacks/index.js';
import { CASES, type BenchCase } from './cases.js';
import { compare, type CaseResult } from './compare.js';
import { measureDelivery } from './delivery.js';
import { runLong } from './long-run.js';
import type { Contender, RunSettings } from './measure.js';
import { runMicros } from './micro/index.js';
import { MIDDLE_NAMES, whyMissing, type MiddleName } from './middles.js';
import { attackPage } from './report/attack.js';
import { casesPage } from './report/cases.js';
import { runReads } from './reads.js';
import { deliveryPage } from './report/delivery.js';
import { longPage } from './report/long-run.js';
import { mergeResults, saveResults } from './report/results-file.js';
import { tablePage } from './report/table.js';
import { TABLE, TABLE_OAPS, TABLE_WARM_UP_SECONDS } from './table.js';

const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

const { values } = parseArgs({
  options: {
    case: { type: 'string' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    warmup: { type: 'string' },
    oaps: { type: 'string' },
    middles: { type: 'string', default: 'relay,satellite' },
    'node-args': { type: 'string', default: '' },
    out: { type: 'string', default: RESULTS },
    table: { type: 'boolean', default: false },
    attack: { type: 'boolean', default: false },
    only: { type: 'string' },
    delivery: { type: 'boolean', default: false },
    long: { type: 'string' },
    micro: { type: 'boolean', default: false },
    reads: { type: 'boolean', default: false },
  },
});

/** The largest load. */
const LONG_CASE = 4;

/** Loads that make one page of results. */
interface LoadSet {
  /** Of the files of results. */
  readonly name: string;
  readonly cases: readonly BenchCase[];
  readonly warmupSeconds: number;
  readonly oaps: number;
  readonly page: (results: readonly CaseResult[]) => string;
}

const CASE_SET: LoadSet = { name: 'latest', cases: CASES, warmupSeconds: 4, oaps: 2, page: casesPage };
const TABLE_SET: LoadSet = {
  name: 'table',
  cases: TABLE,
  warmupSeconds: TABLE_WARM_UP_SECONDS,
  oaps: TABLE_OAPS,
  page: tablePage,
};

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

function runSettings(set: LoadSet): RunSettings {
  return {
    seconds: Number(values.seconds),
    warmupSeconds: Number(values.warmup ?? set.warmupSeconds),
    oaps: Number(values.oaps ?? set.oaps),
    nodeArguments: values['node-args'].split(' ').filter((text) => text !== ''),
  };
}

/** Cases or rows, as many as were asked for; results are kept with those of the others. */
async function runSet(set: LoadSet): Promise<void> {
  const numbers = values.case?.split(',').map(Number);
  const chosen = set.cases.filter((bench) => numbers === undefined || numbers.includes(bench.number));
  const results: CaseResult[] = [];
  for (const bench of chosen) {
    results.push(await compare(bench, contenders(), Number(values.runs), runSettings(set)));
  }
  const merged = mergeResults(values.out, set.name, results);
  saveResults(values.out, set.name, set.page(merged), merged);
  process.stdout.write(`\n${set.page(results)}`);
}

/** Each attack against a satellite of its own. */
async function runAttacks(): Promise<void> {
  const only = values.only?.split(',');
  const results: AttackResult[] = [];
  for (const name of ATTACKS.keys()) {
    if (only !== undefined && !only.includes(name)) continue;
    results.push(await measureAttack(name, Number(values.seconds)));
    process.stdout.write(attackPage(results.slice(-1)));
  }
  saveResults(values.out, 'attack', attackPage(results), results);
}

async function runDelivery(): Promise<void> {
  const result = await measureDelivery(Number(values.runs), runSettings(CASE_SET));
  saveResults(values.out, 'delivery', deliveryPage(result), result);
  process.stdout.write(`\n${deliveryPage(result)}`);
}

async function runLongCase(seconds: number): Promise<void> {
  const bench = CASES.find(({ number }) => number === Number(values.case ?? LONG_CASE))!;
  const result = await runLong(bench, seconds, runSettings(CASE_SET));
  saveResults(values.out, 'long', longPage(result), result);
  process.stdout.write(longPage(result));
}

if (values.micro) process.stdout.write(await runMicros());
else if (values.reads) process.stdout.write(await runReads(Number(values.runs), Number(values.seconds)));
else if (values.attack) await runAttacks();
else if (values.delivery) await runDelivery();
else if (values.long !== undefined) await runLongCase(Number(values.long));
else await runSet(values.table ? TABLE_SET : CASE_SET);
process.exit(0);
