import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryUrl } from '../../support/repository.js';

interface Floors {
  readonly findBreaches: (sources: ReadonlyMap<string, string>) => string[];
}
const { findBreaches } = (await import(repositoryUrl('scripts/floors.mjs').href)) as Floors;

function breachesOf(sources: Record<string, string>): string[] {
  return findBreaches(new Map(Object.entries(sources)));
}

test('a file may import its own floor and the floors below it', () => {
  const text =
    "import { a } from '../net/socket/x.js';\nimport type { B } from './b.js';\nexport * from '../base/index.js';";
  assert.deepEqual(breachesOf({ 'core/a.ts': text, 'core/b.ts': '' }), []);
});

test('a file must not import a floor above it, not even a type', () => {
  const breaches = breachesOf({ 'net/http2/a.ts': "import type {\n  C,\n} from '../grpc/contract.js';" });
  assert.equal(breaches.length, 1);
  assert.match(breaches[0] ?? '', /src\/net\/http2\/a\.ts .* src\/net\/grpc\/contract\.ts .* a floor above it/);
});

test('a plugin must not import another plugin, but the list of all may', () => {
  const importing = "import { q } from '../../queue/memory-queue/index.js';";
  assert.equal(breachesOf({ 'plugins/receiver/als/index.ts': importing }).length, 1);
  assert.deepEqual(breachesOf({ 'plugins/all.ts': "import { q } from './queue/memory-queue/index.js';" }), []);
});

test('sockets are opened in net/socket only', () => {
  assert.deepEqual(breachesOf({ 'net/socket/dial.ts': "import { connect } from 'node:net';" }), []);
  assert.equal(breachesOf({ 'core/pipe/a.ts': "import { connect } from 'node:net';" }).length, 1);
});

test('the pure floors import nothing of node', () => {
  assert.equal(breachesOf({ 'base/a.ts': "import { EventEmitter } from 'node:events';" }).length, 1);
});

test('files that import each other in a ring are found, type imports aside', () => {
  const one = "import { b } from './b.js';";
  const breaches = breachesOf({ 'base/a.ts': one, 'base/b.ts': "import { a } from './a.js';" });
  assert.deepEqual(breaches, ['ring of imports: src/base/a.ts -> src/base/b.ts -> src/base/a.ts']);
  assert.deepEqual(breachesOf({ 'base/a.ts': one, 'base/b.ts': "import type { A } from './a.js';" }), []);
});
