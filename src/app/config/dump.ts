import { stringify } from 'yaml';
import { senderSchema } from '../../core/pipe/config.js';
import { asOptions, optionMeta } from '../../core/options.js';
import type { OptionMeta, OptionsSchema } from '../../core/options.js';
import type { PluginKind } from '../../core/plugin.js';
import type { Catalogue } from './catalogue.js';
import type { PluginConfig, SatelliteConfig } from './config.js';
import { loggerSchema, telemetrySchema } from './sections.js';

export const SECRET_MASK = '******';

/**
 * The effective configuration as YAML that can be loaded again: every option with its value, secrets masked.
 */
export function dumpConfig(config: SatelliteConfig, catalogue: Catalogue): string {
  const plugin = (kind: PluginKind, { name, options }: PluginConfig): Record<string, unknown> => {
    const schema = catalogue.find(kind, name)?.schema;
    return { plugin_name: name, ...(schema === undefined ? {} : written(options, schema)) };
  };
  return stringify(
    {
      logger: written(config.logger, loggerSchema),
      telemetry: written(config.telemetry, telemetrySchema),
      resources: { memory_limit: writtenSize(config.resources.memory_limit) },
      sharing: {
        common_config: { pipe_name: escaped(config.sharing.pipeName) },
        clients: config.sharing.clients.map((client) => plugin('client', client)),
        servers: config.sharing.servers.map((server) => plugin('server', server)),
      },
      pipes: config.pipes.map(({ name, gatherer, processor, sender }) => ({
        common_config: { pipe_name: escaped(name) },
        gatherer: {
          server_name: gatherer.serverName,
          receiver: plugin('receiver', gatherer.receiver),
          queue: plugin('queue', gatherer.queue),
        },
        processor: { filters: processor.filters.map((filter) => plugin('filter', filter)) },
        sender: {
          fallbacker: plugin('fallbacker', sender.fallbacker),
          ...written(sender.options, senderSchema),
          client_name: sender.clientName,
          forwarders: sender.forwarders.map((forwarder) => plugin('forwarder', forwarder)),
        },
      })),
    },
    { lineWidth: 0 },
  );
}

/** Decoded options in the form a user would write them. */
function written(options: unknown, schema: OptionsSchema): Record<string, unknown> {
  const values = options as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(schema.shape)) {
    const group = asOptions(option);
    result[key] = group === undefined ? writtenValue(values[key], optionMeta(option)) : written(values[key], group);
  }
  return result;
}

function writtenValue(value: unknown, meta: OptionMeta | undefined): unknown {
  if (meta?.isSecret === true) return value === '' ? '' : SECRET_MASK;
  if (meta?.type === 'duration') return writtenDuration(value as number);
  if (meta?.type === 'size') return writtenSize(value as number);
  if (Array.isArray(value)) return value.map(escaped);
  return escaped(value);
}

/** Text that the loader must not take for a placeholder. */
function escaped(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('${', '$${') : value;
}

export function writtenDuration(ms: number): string {
  return ms !== 0 && ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

export function writtenSize(bytes: number): string | number {
  if (bytes === 0 || bytes % 1024 !== 0) return bytes;
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2}MiB` : `${bytes / 1024}KiB`;
}
