/** Decodes the sections that belong to the process as a whole: logger, telemetry, resources. */
import type { OptionsSchema } from '../../core/options.js';
import { parseAddress } from '../../net/socket/index.js';
import type { LoggerConfig, TelemetryConfig } from './config.js';
import { decodeOptions, joinPath, positionOf, reportUnknownKeys } from './decode.js';
import type { Section } from './decode.js';
import { writtenSize } from './dump.js';
import { CONFIG_ERRORS } from './errors.js';
import { MIN_MEMORY_LIMIT_BYTES, resolveMemoryLimit } from './memory-limit.js';
import { suggest } from './nearest.js';
import { nodeAt } from './node.js';
import { EXPORTERS, EXPORTERS_NOT_YET } from './original-names.js';
import type { Problems } from './problem.js';
import { DEFAULT_LEVEL, HEALTH_PATHS, LEVELS, loggerSchema, resourcesSchema, telemetrySchema } from './sections.js';

/** Decodes a section that is nothing but options. */
function decodeWhole<T>(section: Section, schema: OptionsSchema<T>, problems: Problems): T | undefined {
  reportUnknownKeys(section, [schema], [], problems);
  return decodeOptions(section, schema, problems);
}

/** An unknown level is `info`, as in the original, and is told. */
export function decodeLogger(section: Section, problems: Problems): LoggerConfig | undefined {
  const logger = decodeWhole<LoggerConfig>(section, loggerSchema, problems);
  if (logger === undefined) return undefined;
  const level = logger.level.trim().toLowerCase();
  if (LEVELS.includes(level)) return { ...logger, level };
  const path = joinPath(section.path, 'level');
  const message = `there is no level "${logger.level}", ${DEFAULT_LEVEL} is used`;
  problems.strict(CONFIG_ERRORS.value, path, positionOf(section, 'level'), message, suggest(level, LEVELS));
  return { ...logger, level: DEFAULT_LEVEL };
}

/** Leaves out the exporters of the original that are not here yet. */
export function decodeTelemetry(section: Section, problems: Problems): TelemetryConfig | undefined {
  const telemetry = decodeWhole<TelemetryConfig>(section, telemetrySchema, problems);
  if (telemetry === undefined) return undefined;
  const path = joinPath(section.path, 'export_type');
  const position = positionOf(section, 'export_type');
  const exporters: string[] = [];
  for (const name of telemetry.export_type.filter((item) => item !== '')) {
    if (EXPORTERS.includes(name)) {
      exporters.push(name);
    } else if (EXPORTERS_NOT_YET.has(name)) {
      const message = `this version does not have the exporter "${name}" yet and runs without it`;
      problems.warn(CONFIG_ERRORS.notYet, path, position, message, `There is: ${EXPORTERS.join(', ')}.`);
    } else {
      const message = `there is no exporter "${name}"`;
      problems.error(CONFIG_ERRORS.unknownPlugin, path, position, message, suggest(name, EXPORTERS));
    }
  }
  if (exporters.includes('prometheus')) checkExporter(section, telemetry.prometheus, problems);
  return { ...telemetry, export_type: exporters };
}

function checkExporter(section: Section, exporter: TelemetryConfig['prometheus'], problems: Problems): void {
  const report = (key: keyof typeof exporter, message: string, remedy: string): void => {
    const node = section.node === undefined ? undefined : nodeAt(section.node, ['prometheus', key]);
    const path = joinPath(section.path, `prometheus.${key}`);
    problems.error(CONFIG_ERRORS.value, path, node?.position ?? section.position, message, remedy);
  };
  if (parseAddress(exporter.address) === null) {
    const message = `expected host:port, [IPv6]:port or :port, got ${JSON.stringify(exporter.address)}`;
    report('address', message, 'The default is ":1234".');
  }
  if (Object.values<string>(HEALTH_PATHS).includes(exporter.endpoint)) {
    report('endpoint', `${exporter.endpoint} on that port tells of health`, 'The default is "/metrics".');
  }
}

/** @units bytes */
export function decodeMemoryLimit(section: Section, availableBytes: number, problems: Problems): number | undefined {
  const resources = decodeWhole(section, resourcesSchema, problems);
  if (resources === undefined) return undefined;
  const bytes = resolveMemoryLimit(resources.memory_limit, availableBytes);
  if (bytes !== undefined && bytes >= MIN_MEMORY_LIMIT_BYTES) return bytes;
  const message =
    bytes === undefined
      ? `expected a size or a share, got ${JSON.stringify(resources.memory_limit)}`
      : `must be at least ${writtenSize(MIN_MEMORY_LIMIT_BYTES)}, comes to ${bytes} bytes`;
  const position = positionOf(section, 'memory_limit');
  problems.error(
    CONFIG_ERRORS.value,
    'resources.memory_limit',
    position,
    message,
    'Write a share such as 40%, or a size such as 512MiB.',
  );
  return undefined;
}
