import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const LINES = readFileSync('Dockerfile', 'utf8').split('\n');
const ALLOWED: readonly string[] = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+$/gm) ?? [];

test('what the image is made of exists and reaches the build', () => {
  const copied = LINES.filter((line) => line.startsWith('COPY ') && !line.includes('--from')).flatMap((line) =>
    line.split(' ').slice(1, -1),
  );
  assert.ok(copied.includes('src'));
  for (const path of copied) assert.ok(existsSync(path) && ALLOWED.includes(path), path);
  assert.deepEqual([...new Set(copied)].sort(), [...ALLOWED].sort());
});

test('the image runs on a version of node that the package supports', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const least = Number(/\d+/.exec(engines.node)?.[0]);
  const versions = LINES.filter((line) => line.startsWith('FROM ')).map((line) => Number(/node:(\d+)/.exec(line)?.[1]));
  assert.equal(versions.length, 2);
  for (const version of versions) assert.ok(version >= least, String(version));
});
