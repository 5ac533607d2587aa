/** Finding files in the repository; every script that walks it does so here. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Paths under `folder` (relative to the root, slashes) whose names end as given, sorted. */
export function listFiles(folder, ending) {
  const top = join(ROOT, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort();
}
