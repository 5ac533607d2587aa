import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { repositoryUrl } from '../../support/repository.js';

/** Captured bytes and installed licences are not ours to word. */
const NOT_OURS = /^(test\/fixtures\/|LICENSE$|changes\/.*\.gitkeep$)/;
const BINARY = /\.(png|bin|gz|ico|jar|pem)$/;

/** Written in pieces, so that this file does not say them. */
const MACHINE_PATHS = new RegExp(['/wo' + 'rk/', '/ro' + 'ot/', '/ho' + 'me/[a-z]', '/Us' + 'ers/[a-zA-Z]'].join('|'));
const REGISTRY_HOSTS = new RegExp(
  ['registry\\.n' + 'pmjs', 'py' + 'pi\\.org', 'pythonho' + 'sted', 'proxy\\.go' + 'lang', 'repo1?\\.ma' + 'ven']
    .concat(['crates' + '\\.io', 'deb\\.deb' + 'ian', '"resol' + 'ved": "http'])
    .join('|'),
);

function listTrackedFiles(): string[] {
  const root = fileURLToPath(repositoryUrl(''));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return listed
    .split('\0')
    .filter((path) => path !== '' && !NOT_OURS.test(path) && !BINARY.test(path))
    .filter((path) => statSync(repositoryUrl(path), { throwIfNoEntry: false })?.isFile() === true);
}

function findLines(pattern: RegExp): string[] {
  const found: string[] = [];
  for (const path of listTrackedFiles()) {
    const lines = readFileSync(repositoryUrl(path), 'utf8').split('\n');
    lines.forEach((line, index) => {
      if (pattern.test(line)) found.push(`${path}:${index + 1}: ${line.trim().slice(0, 120)}`);
    });
  }
  return found;
}

test('no file names a path of one machine', () => {
  assert.deepEqual(findLines(MACHINE_PATHS), []);
});

test('no file names the host of a package registry', () => {
  assert.deepEqual(findLines(REGISTRY_HOSTS), []);
});

test('the lock file has a checksum for each package and an address for none', () => {
  const lock = JSON.parse(readFileSync(repositoryUrl('package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, name);
    if (name !== '') assert.notEqual(entry.integrity, undefined, name);
  }
});
