import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLUGIN_PAGES_FOLDER } from './emit.js';

/** Pages in the generated folder that no longer have a source. */
function leftOver(pages: ReadonlyMap<string, string>, root: string): readonly string[] {
  const folder = join(root, PLUGIN_PAGES_FOLDER);
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).map((name) => `${PLUGIN_PAGES_FOLDER}/${name}`);
  return found.filter((path) => path.endsWith('.md') && !pages.has(path));
}

/** Writes the pages below `root` and removes those of plugins that are gone. */
export function writeDocs(pages: ReadonlyMap<string, string>, root: string): void {
  for (const path of leftOver(pages, root)) rmSync(join(root, path));
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Paths below `root` that differ from what would be written. */
export function checkDocs(pages: ReadonlyMap<string, string>, root: string): readonly string[] {
  const stale = [...leftOver(pages, root)];
  for (const [path, text] of pages) {
    const file = join(root, path);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) stale.push(path);
  }
  return stale.sort();
}
