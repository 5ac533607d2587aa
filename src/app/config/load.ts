import { existsSync, readFileSync } from 'node:fs';
import type { Catalogue } from './catalogue.js';
import { checkLoops, checkPorts } from './checks.js';
import { deepFreeze } from './config.js';
import type { SatelliteConfig } from './config.js';
import { reportUnknownKeys, subsection } from './decode.js';
import type { Section } from './decode.js';
import { decodePipes } from './decode-pipes.js';
import { decodeLogger, decodeMemoryLimit, decodeTelemetry } from './decode-process.js';
import { decodeSharing } from './decode-sharing.js';
import { CONFIG_ERRORS } from './errors.js';
import { availableMemoryBytes } from './memory-limit.js';
import { NotYetList } from './not-yet.js';
import { parseYaml } from './parse-yaml.js';
import type { Environment } from './placeholder.js';
import type { DecodeContext } from './plugin-options.js';
import { Problems } from './problem.js';
import type { Problem } from './problem.js';

export const DEFAULT_CONFIG_FILE = 'configs/satellite_config.yaml';
/** Where the Helm chart mounts an override: who puts a file there means it. */
export const MOUNTED_CONFIG_FILE = '/skywalking/config/satellite_config.yaml';

/** What a load came to: a configuration, or the reasons why there is none. */
export interface LoadResult {
  readonly file: string;
  /** Null when a problem is an error. */
  readonly config: SatelliteConfig | null;
  /** In the order of the file; warnings too. */
  readonly problems: readonly Problem[];
}

/** Which file to read: flag, then SATELLITE_CONFIG (empty counts as unset), then the mounted one, then the default. */
export function findConfigFile(
  flag: string | undefined,
  environment: Environment,
  exists: (path: string) => boolean = existsSync,
): string {
  const named = flag ?? environment.SATELLITE_CONFIG;
  if (named !== undefined && named !== '') return named;
  return exists(MOUNTED_CONFIG_FILE) ? MOUNTED_CONFIG_FILE : DEFAULT_CONFIG_FILE;
}

/** Reads and decodes the file that flag and environment name. */
export function loadConfig(flag: string | undefined, environment: Environment, catalogue: Catalogue): LoadResult {
  const file = findConfigFile(flag, environment);
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    const problems = new Problems();
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
    const remedy = 'Name the file with -c FILE or SATELLITE_CONFIG.';
    problems.error(CONFIG_ERRORS.unreadable, '', null, message, remedy);
    return { file, config: null, problems: problems.sorted() };
  }
  return decodeConfig(source, file, environment, catalogue);
}

/** Decodes a file's text: placeholders, structure, plugins and the checks between them; all problems at once. */
export function decodeConfig(
  source: string,
  file: string,
  environment: Environment,
  catalogue: Catalogue,
  availableBytes: number = availableMemoryBytes(),
): LoadResult {
  const problems = new Problems();
  const node = parseYaml(source, environment, problems);
  const config = node === null ? null : decodeRoot(node, file, catalogue, availableBytes, problems);
  return { file, config: problems.hasErrors ? null : config, problems: problems.sorted() };
}

function decodeRoot(
  node: NonNullable<Section['node']>,
  file: string,
  catalogue: Catalogue,
  availableBytes: number,
  problems: Problems,
): SatelliteConfig | null {
  const root: Section = { node, path: '', position: node.position };
  const context: DecodeContext = { catalogue, problems, notYet: new NotYetList() };
  reportUnknownKeys(root, [], ['logger', 'telemetry', 'resources', 'sharing', 'pipes'], problems);
  const logger = decodeLogger(subsection(root, 'logger', problems), problems);
  const telemetry = decodeTelemetry(subsection(root, 'telemetry', problems), problems);
  const memoryLimitBytes = decodeMemoryLimit(subsection(root, 'resources', problems), availableBytes, problems);
  const sharing = decodeSharing(root, context);
  const pipes = decodePipes(root, sharing, context);
  context.notYet.report(catalogue, problems);
  if (telemetry !== undefined) checkPorts(sharing.servers, root, telemetry, problems);
  checkLoops(sharing.clients, sharing.servers, problems);
  if (pipes.length === 0 && !problems.hasErrors) {
    const remedy = 'Add a pipe; configs/satellite_config.yaml has all of them.';
    problems.error(CONFIG_ERRORS.missing, 'pipes', root.position, 'there is no pipe', remedy);
  }
  if (logger === undefined || telemetry === undefined || memoryLimitBytes === undefined) return null;
  return deepFreeze<SatelliteConfig>({
    file,
    logger,
    telemetry,
    resources: { memory_limit: memoryLimitBytes },
    sharing: {
      pipeName: sharing.pipeName,
      clients: sharing.clients.plugins.map(({ name, options }) => ({ name, options })),
      servers: sharing.servers.plugins.map(({ name, options }) => ({ name, options })),
    },
    pipes,
  });
}
