/** The real programs of the slow tests, as scripts/components.mjs installs them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryUrl } from './repository.js';

export type ComponentName =
  | 'envoy'
  | 'oap'
  | 'h2spec'
  | 'h2load'
  | 'grpc-go-client'
  | 'grpc-go-server'
  | 'grpc-python'
  | 'grpcurl'
  | 'ghz'
  | 'haproxy'
  | 'nginx'
  | 'nghttpx';

interface Component {
  readonly version: string;
  readonly file: string;
}

const COMPONENTS = JSON.parse(readFileSync(repositoryUrl('scripts/components.json'), 'utf8')) as Record<
  ComponentName,
  Component
>;

/** Path of a component's program (of a jar for Java). @throws When it is not installed. */
export function componentPath(name: ComponentName): string {
  const path = pathOf(name);
  if (!existsSync(path)) throw new Error(`${name} is not installed: run node scripts/components.mjs ${name}`);
  return path;
}

/** The folder a component was installed into. */
export function componentFolder(name: ComponentName): string {
  return fileURLToPath(repositoryUrl(`.components/${name}-${COMPONENTS[name].version}`));
}

/**
 * The `skip` option of a test that needs these components: false when all are there, else why not.
 * In CI nothing may be missing: the test runs and fails with the component's name.
 */
export function skipWithout(...names: ComponentName[]): string | false {
  if (process.env.CI === 'true') return false;
  const missing = names.filter((name) => !existsSync(pathOf(name)));
  return missing.length === 0 ? false : `needs ${missing.join(', ')}: run node scripts/components.mjs`;
}

function pathOf(name: ComponentName): string {
  return join(componentFolder(name), COMPONENTS[name].file);
}
