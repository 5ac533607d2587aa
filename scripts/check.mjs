/**
 * All that must hold before a commit, in one command, the same here and in CI. Every step runs, also after one failed;
 * the end lists what failed. `--without-tests` leaves the unit tests to a run of the whole suite that follows.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './files.mjs';
import { ensureBuilt, ensureDependencies, runNode } from './setup.mjs';

const STEPS = [
  { name: 'types', passes: () => ensureBuilt() },
  { name: 'floors', passes: () => runNode('scripts/floors.mjs') === 0 },
  {
    name: 'format',
    passes: () => runNode('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.') === 0,
  },
  {
    name: 'lint',
    passes: () => {
      const cache = ['--cache', '--cache-location', 'node_modules/.cache/eslint', '--max-warnings', '0'];
      return runNode('node_modules/eslint/bin/eslint.js', ...cache, '.') === 0;
    },
  },
  { name: 'generated docs', passes: () => runNode('scripts/docs.mjs', '--check') === 0 },
  {
    name: 'unit tests',
    passes: () => existsSync(join(ROOT, 'dist/.complete')) && runNode('scripts/test.mjs', 'unit') === 0,
  },
];

ensureDependencies();
const failed = [];
const steps = process.argv.includes('--without-tests') ? STEPS.slice(0, -1) : STEPS;
for (const step of steps) {
  const started = performance.now();
  const passed = step.passes();
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${step.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (!passed) failed.push(step.name);
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
