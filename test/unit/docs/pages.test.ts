/** The hand-written pages name files, functions, metrics and each other; all of that must be there. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repositoryUrl } from '../../support/repository.js';

/** Written by `satellite docs`; their own test compares them. */
const GENERATED = new Set(['docs/metrics.md', 'docs/errors.md', 'docs/config']);

const PAGES = ['README.md', ...filesUnder('docs').filter((path) => path.endsWith('.md'))];
const SOURCES = filesUnder('src').filter((path) => path.endsWith('.ts'));
const SOURCE_TEXT = SOURCES.map(read).join('\n');

function read(path: string): string {
  return readFileSync(repositoryUrl(path), 'utf8');
}

/** Paths relative to the repository, generated pages left out. */
function filesUnder(folder: string): string[] {
  const paths: string[] = [];
  for (const name of readdirSync(repositoryUrl(folder))) {
    const path = `${folder}/${name}`;
    if (GENERATED.has(path)) continue;
    if (statSync(repositoryUrl(path)).isDirectory()) paths.push(...filesUnder(path));
    else paths.push(path);
  }
  return paths;
}

for (const page of PAGES) {
  const text = read(page);

  test(`${page}: links lead somewhere`, () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = join(dirname(page), target).replace(/\/$/, '');
      assert.ok(GENERATED.has(path) || existsSync(repositoryUrl(path)), `${target} is missing`);
    }
  });

  test(`${page}: source files that are named exist`, () => {
    for (const [, name = ''] of text.matchAll(/`([\w./-]+\.ts)`/g)) {
      const suffix = name.startsWith('src/') ? name : `/${name}`;
      assert.ok(
        SOURCES.some((path) => path.endsWith(suffix) || path === name),
        `${name} is missing`,
      );
    }
  });

  test(`${page}: functions that are named beside a file are in it`, () => {
    // `core/pipe/lane.ts` `pump`, `cut`
    for (const [, file = '', functions = ''] of text.matchAll(/`([\w./-]+\.ts)`((?:,?\s+`\w+`)+)/g)) {
      const paths = SOURCES.filter((path) => path.endsWith(`/${file}`));
      for (const [, name = ''] of functions.matchAll(/`(\w+)`/g)) {
        const isThere = paths.some((path) => new RegExp(`\\b${name}\\b\\s*[(=<]`).test(read(path)));
        assert.ok(isThere, `${file} has no ${name}`);
      }
    }
  });

  test(`${page}: metrics that are named exist`, () => {
    const names = text.matchAll(
      /`((?:satellite|ledger|sender|queue|gatherer|pipeline|als|relay)_[a-z_]+)(?:\{[^`]*\})?`/g,
    );
    for (const [, name = ''] of names) assert.ok(SOURCE_TEXT.includes(name), `${name} is missing`);
  });
}

test('snippets are well-formed YAML', () => {
  for (const path of filesUnder('docs/snippets')) {
    for (const document of parseAllDocuments(read(path))) {
      assert.deepEqual('errors' in document ? document.errors : [], [], path);
    }
  }
});

test('every runtime and development dependency has its line', () => {
  const page = read('docs/dependencies.md');
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const packages = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.devDependencies ?? {})];
  for (const name of packages) assert.ok(page.includes(`\`${name}\``), `${name} has no line`);
});
