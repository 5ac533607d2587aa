/**
 * Runs tests with node's own runner on the compiled output.
 *
 *   node scripts/test.mjs SUITE [PATH-PART…] [--node-option…]
 *
 * Suites: fast (all that needs no other program), slow (real programs, conformance, fuzz), unit, coverage (fast under
 * c8, with thresholds). A PATH-PART keeps the test files whose path contains it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, ROOT } from './files.mjs';
import { run, runNode, setup } from './setup.mjs';

/** Below test/e2e, but not fast: real programs, and load that wants the machine for itself. */
const HEAVY = ['e2e/real', 'e2e/load', 'e2e/proxies', 'e2e/faults/slow'];
/** The longest of the slow tests, test/e2e/faults/slow/soak.test.ts; it and the kills of a disk queue last as asked. */
const SOAK_SECONDS = Number(process.env.SOAK_SECONDS ?? 600);
/** `timeoutMs` holds for a test and for a file as a whole, generous because other work may share the machine. */
const SUITES = {
  unit: { folders: ['unit'], concurrency: 2, timeoutMs: 60_000 },
  fast: { folders: ['unit', 'wire', 'contract', 'pipe', 'model', 'e2e'], concurrency: 2, timeoutMs: 120_000 },
  /** One at a time: what they drive wants both cores. */
  slow: { folders: ['conformance', 'fuzz', ...HEAVY], concurrency: 1, timeoutMs: 300_000 + 2000 * SOAK_SECONDS },
};
const COVERAGE = '--all --src=src --include=src/** --include=dist/src/** --reporter=text-summary --reporter=lcov';
const THRESHOLDS = '--check-coverage --lines=90 --branches=90';
/** The transport is judged by itself too: what is covered elsewhere must not make up for it. */
const TRANSPORT_COVERAGE = '--src=src --include=src/net/** --include=dist/src/net/** --lines=90 --branches=90';
const C8 = 'node_modules/c8/bin/c8.js';

function main([suiteName = 'fast', ...args]) {
  const suite = SUITES[suiteName === 'coverage' ? 'fast' : suiteName];
  if (suite === undefined) {
    console.error(`no suite named ${suiteName}; known: ${Object.keys(SUITES).join(', ')}, coverage`);
    return 2;
  }
  const options = args.filter((arg) => arg.startsWith('--'));
  const parts = args.filter((arg) => !arg.startsWith('--'));
  const files = findTests(suite.folders).filter(
    (file) => parts.length === 0 || parts.some((part) => file.includes(part)),
  );
  if (files.length === 0) {
    console.error(`no test of suite ${suiteName} has a path with ${parts.join(' or ')}`);
    return 2;
  }
  setup();
  const runner = [
    '--test',
    '--enable-source-maps',
    '--test-reporter=spec',
    `--test-concurrency=${suite.concurrency}`,
    `--test-timeout=${suite.timeoutMs}`,
    ...options,
    ...files.map(compiled),
  ];
  return suiteName === 'coverage' ? runCovered(runner) : run(process.execPath, runner);
}

function findTests(folders) {
  const left = HEAVY.filter((folder) => !folders.includes(folder)).map((folder) => `test/${folder}/`);
  const files = folders.flatMap((folder) => listFiles(`test/${folder}`, '.test.ts'));
  return files.filter((file) => !left.some((folder) => file.startsWith(folder)));
}

function compiled(file) {
  return `dist/${file.replace(/\.ts$/, '.js')}`;
}

function runCovered(runner) {
  const typesOnly = listFiles('src', '.ts').filter(isTypesOnly);
  const options = [...COVERAGE.split(' '), ...typesOnly.map((file) => `--exclude=${file}`), ...THRESHOLDS.split(' ')];
  const status = runNode(C8, ...options, process.execPath, ...runner);
  return status === 0 ? runNode(C8, 'check-coverage', ...TRANSPORT_COVERAGE.split(' ')) : status;
}

/** A file of types alone compiles to nothing that could be covered. */
function isTypesOnly(file) {
  const code = readFileSync(join(ROOT, compiled(file)), 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  return code.trim() === 'export {};';
}

process.exitCode = main(process.argv.slice(2));
