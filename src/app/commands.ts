/** What the command line's commands do. */
import { systemClock } from '../base/index.js';
import type { PluginSet } from '../core/plugin-set.js';
import { ALL_PLUGINS } from '../plugins/all.js';
import { packageVersion } from './cli/index.js';
import type { CliCommands } from './cli/index.js';
import { Catalogue } from './config/index.js';
import type { AnyDefinition } from './config/index.js';
import { describeQueue } from './describe-queue.js';
import { DOCUMENTED_TABLES } from './documented-tables.js';
import { runSatellite } from './lifecycle.js';

/** @param demo runs `satellite demo` with its arguments; the lab stands above this floor. */
export function createCommands(demo: (args: readonly string[]) => Promise<number>): CliCommands {
  return {
    catalogue: createCatalogue(ALL_PLUGINS),
    tables: DOCUMENTED_TABLES,
    start: (config, options) => runSatellite(config, ALL_PLUGINS, { ...options, version: packageVersion() }),
    inspectQueue: (directory) => describeQueue(directory, systemClock),
    demo,
  };
}

/** What the configuration may name, of all plugins there are. */
export function createCatalogue(plugins: PluginSet): Catalogue {
  const definitions = Object.values(plugins).flatMap((named: ReadonlyMap<string, AnyDefinition>) => [
    ...named.values(),
  ]);
  return new Catalogue(definitions);
}
