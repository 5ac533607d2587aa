import { readFileSync } from 'node:fs';

/** The folder of package.json, seen from dist/src/app/cli. */
const PACKAGE_ROOT = new URL('../../../../', import.meta.url);

/** Text of a file that the package ships, by its path from the package's root. */
export function readPackageFile(path: string): string {
  return readFileSync(new URL(path, PACKAGE_ROOT), 'utf8');
}

export function packageVersion(): string {
  return (JSON.parse(readPackageFile('package.json')) as { readonly version: string }).version;
}
