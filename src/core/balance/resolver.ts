/** Where endpoints come from: the contract of finders (`finder_type`), which know names, and of the set, which knows none. */
import type { SocketAddress } from '../../net/socket/contract.js';
import type { ProcessSettings } from '../plugin.js';

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

/** What a client plugin hands to its finder. */
export interface FinderConfig {
  /** As configured in `server_addr`: a comma list. */
  readonly serverAddr: string;
  /** Time between two looks at the source of truth. */
  readonly refreshMs: number;
}

/** A way to find endpoints, chosen by name. Not configured by itself: its options are those of the client. */
export interface FinderDefinition {
  readonly kind: 'finder';
  /** As in `finder_type`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** @throws SAT_CFG_* when the configuration cannot mean anything; must not touch the network. */
  create(config: FinderConfig, settings: ProcessSettings): Resolver;
}
