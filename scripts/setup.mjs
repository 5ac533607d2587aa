/**
 * Makes a fresh clone ready, so that one command is enough: installs packages when package-lock.json is newer than what
 * is installed, compiles when a source is newer than the last complete build. Does nothing when nothing changed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, ROOT } from './files.mjs';

/** Written after a build without errors: older than any source means stale. */
const STAMP = join(ROOT, 'dist', '.complete');
const BUILD_INPUTS = ['tsconfig.json', 'package-lock.json'];

/** Runs a program with its output shown; returns its exit status (1 when a signal ended it). */
export function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** Runs a program of node_modules/.bin by its script, without a shell. */
export function runNode(script, ...args) {
  return run(process.execPath, [join(ROOT, script), ...args]);
}

export function ensureDependencies() {
  const lock = modifiedMs('package-lock.json');
  if (modifiedMs('node_modules/.package-lock.json') >= lock) return;
  console.log('installing packages (npm ci)');
  if (run('npm', ['ci', '--no-audit', '--no-fund']) !== 0) throw new Error('npm ci failed');
}

/** Compiles src, test and bench into dist. Returns whether dist is complete; the compiler has said what is wrong. */
export function ensureBuilt() {
  const newest = newestInputMs();
  if (existsSync(STAMP) && statSync(STAMP).mtimeMs > newest) return true;
  rmSync(STAMP, { force: true });
  console.log('compiling');
  if (runNode('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json') !== 0) return false;
  writeFileSync(STAMP, '');
  return true;
}

/** For scripts that need the program and nothing else to say. */
export function setup() {
  ensureDependencies();
  if (!ensureBuilt()) {
    console.error('the sources do not compile');
    process.exit(1);
  }
}

function newestInputMs() {
  const sources = ['src', 'test', 'bench'].flatMap((folder) => listFiles(folder, '.ts'));
  return Math.max(...[...BUILD_INPUTS, ...sources].map(modifiedMs));
}

function modifiedMs(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === import.meta.filename) setup();
