/** The complete configuration that the rest of the process reads: validated, defaults filled in, frozen. */
import type { z } from 'zod';
import type { SenderConfig } from '../../core/pipe/config.js';
import type { loggerSchema, telemetrySchema } from './sections.js';

export type LoggerConfig = Readonly<z.output<typeof loggerSchema>>;
export type TelemetryConfig = Readonly<z.output<typeof telemetrySchema>>;

/** One plugin as configured. `options` are what its definition's schema made of the file. */
export interface PluginConfig {
  readonly name: string;
  readonly options: unknown;
}

export interface PipeConfig {
  readonly name: string;
  readonly gatherer: {
    readonly serverName: string;
    readonly receiver: PluginConfig;
    readonly queue: PluginConfig;
  };
  readonly processor: { readonly filters: readonly PluginConfig[] };
  readonly sender: {
    readonly clientName: string;
    readonly fallbacker: PluginConfig;
    readonly forwarders: readonly PluginConfig[];
    readonly options: Readonly<SenderConfig>;
  };
}

export interface SatelliteConfig {
  /** Path of the file it came from. */
  readonly file: string;
  readonly logger: LoggerConfig;
  /** `export_type` holds only exporters that exist here. */
  readonly telemetry: TelemetryConfig;
  /** @units bytes */
  readonly resources: { readonly memory_limit: number };
  readonly sharing: {
    readonly pipeName: string;
    readonly clients: readonly PluginConfig[];
    readonly servers: readonly PluginConfig[];
  };
  readonly pipes: readonly PipeConfig[];
}

/** Freezes plain data all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
