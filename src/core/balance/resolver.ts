/** Where endpoints come from: the contract of finders (`finder_type`), which know names, and of the set, which knows none. */
import type { SocketAddress } from '../../net/socket/contract.js';
import { durationOption, stringOption } from '../options.js';
import type { PluginDefinition, ProcessSettings } from '../plugin.js';

/** One place to connect to, as found. */
export interface ResolvedEndpoint {
  readonly address: SocketAddress;
  /** `host:port`, `[v6]:port` or `unix:path`: its identity, and its label in metrics and logs. */
  readonly label: string;
  /** `:authority` of its calls: the configured name with its port, not the resolved address. */
  readonly authority: string;
  /** The configured host name, to verify its certificate against; null for an IP literal or a unix socket. */
  readonly serverName: string | null;
}

/** @order Called any number of times between `start` and `close`, each time with the complete set. */
export type EndpointsListener = (endpoints: readonly ResolvedEndpoint[]) => void;

/**
 * A living list of endpoints. While its source of truth cannot be asked it stays silent, so that the last known set
 * survives; an empty list is reported only when the source says that there is none.
 */
export interface Resolver {
  /** Begins to look; never throws, never waits. */
  start(listener: EndpointsListener): void;
  close(): void;
}

/** Options of every finder; the client that uses it has them among its own. */
export const FINDER_OPTIONS = {
  server_addr: stringOption({
    doc: 'Backends, with commas between them: host, host:port, [v6]:port or unix:path; the port is 11800 unless given. A host name stands for all its addresses and is looked up again and again; add backends by adding addresses to the name.',
    default: 'localhost:11800',
  }),
  check_period: durationOption({
    doc: 'How long a change of the backends may go unnoticed: host names are looked up again after this time, and an unreachable backend is tried again at least this often. Shorten it to notice sooner, lengthen it to spare the name server.',
    unit: 's',
    default: 5,
    min: 100,
  }),
};

export interface FinderConfig {
  readonly server_addr: string;
  /** @units ms */
  readonly check_period: number;
}

/** A way to find endpoints, named in a client's `finder_type`. */
export type FinderDefinition = PluginDefinition<'finder', FinderConfig, ProcessSettings, Resolver>;
