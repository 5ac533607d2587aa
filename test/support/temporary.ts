/** Files that live as long as the test process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | null = null;
let count = 0;

/** Writes a file of its own and returns its path. */
export function writeTemporary(name: string, text: string | Uint8Array): string {
  const path = nextPath(name);
  writeFileSync(path, text);
  return path;
}

/** Makes an empty folder of its own and returns its path. */
export function makeTemporaryFolder(): string {
  const path = nextPath('folder');
  mkdirSync(path);
  return path;
}

function nextPath(name: string): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'satellite-test-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  count += 1;
  return join(folder, `${count}-${name}`);
}
