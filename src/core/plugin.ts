/**
 * What a plugin is. One folder each under src/plugins/<kind>/, `index.ts` exports its definition; src/plugins/all.ts is the
 * only list. Plugins never import each other: what they share lives in core.
 */
import type { z } from 'zod';
import type { Clock, Random } from '../base/index.js';
import type { MethodRegistry } from '../net/grpc/contract.js';
import type { MemoryBudget } from './budget.js';
import type { Channel } from './channel.js';
import type { DataType } from './data-type.js';
import type { Log, Metrics } from './telemetry.js';

export type PluginKind = 'server' | 'client' | 'finder' | 'receiver' | 'queue' | 'filter' | 'fallbacker' | 'forwarder';

/** Declared once; the validator, the docs page and the configuration schema derive from it. */
export interface PluginDefinition<Kind extends PluginKind, Config, Settings, Instance> {
  readonly kind: Kind;
  /** As in `plugin_name`. */
  readonly name: string;
  /** Heading of its page. */
  readonly title: string;
  /** A paragraph: what it does and when to use it. */
  readonly description: string;
  readonly stability: 'stable' | 'experimental';
  /** Receivers and forwarders: what they carry, so that `validate` can tell whether two of them fit. */
  readonly dataType?: DataType;
  /** An object of option builders (core/options). */
  readonly schema: z.ZodType<Config> & { readonly shape: Readonly<Record<string, z.ZodType>> };
  /** @throws SAT_PLG_* when it cannot be made; must not touch the network or the disk. */
  create(config: Config, settings: Settings): Instance;
}

/** What every plugin gets from the process. */
export interface ProcessSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly budget: MemoryBudget;
}

// --- sharing plugins ---

export interface ServerPlugin {
  /** Receivers register here between create and start. */
  readonly registry: MethodRegistry;
  /** Health checks on this server answer what `isReady` says; without it, that it serves once it has started. */
  followReadiness?(isReady: () => boolean): void;
  /** Binds and accepts. @throws SAT_NET_LISTEN with address and reason. */
  start(): Promise<void>;
  /** Stops accepting, sends GOAWAY, ends streams at message boundaries; resolves when idle or at `deadlineMs` (clock). */
  drain(deadlineMs: number): Promise<void>;
  /** Closes at once what is left. */
  close(): Promise<void>;
  /** Bound address, `host:port`, for logs and tests (port 0 resolved). */
  readonly boundAddress: string;
}

export interface ClientPlugin {
  readonly channel: Channel;
  /** Starts resolving and connecting; never waits for a backend. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export type ServerDefinition<Config> = PluginDefinition<'server', Config, ProcessSettings, ServerPlugin>;
export type ClientDefinition<Config> = PluginDefinition<'client', Config, ProcessSettings, ClientPlugin>;

// --- plugins of a pipe: their instances' contracts are in core/pipe ---

/** What a pipe's plugins get beside their options. */
export interface PipeSettings extends ProcessSettings {
  readonly pipeName: string;
}

/** A forwarder and a receiver fit when they name the same data type. */
export interface Typed {
  readonly dataType: DataType;
}
export type { Channel, MethodRegistry };
