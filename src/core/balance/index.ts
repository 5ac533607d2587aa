/**
 * Balancing: spreads batches over the endpoints of one service, and keeps connections to them.
 * Above: senders and relays, through core/channel.ts only. Below: net/socket's `Dial`, handed in. Endpoints come from a `Resolver`.
 * Entry points: BalancedChannel; pick and weigh (the picker); pickByKey (sticky routing).
 * Invariants: a lease is settled once; a batch goes only to an endpoint with a free slot; an endpoint that left gets nothing new.
 * Spec: docs/decisions, and the header of each file: picker.ts (what is minimised), breaker.ts, subchannel.ts (diagrams).
 */
export { BalancedChannel } from './balanced-channel.js';
export type { BalancedChannelSettings } from './balanced-channel.js';
export { ENDPOINT_METRICS } from './metrics.js';
export { meanSpeed, pick, weigh } from './picker.js';
export { hashBytes, pickByKey } from './rendezvous.js';
export { FINDER_OPTIONS } from './resolver.js';
export type { EndpointsListener, FinderConfig, FinderDefinition, ResolvedEndpoint, Resolver } from './resolver.js';
export { DEFAULT_PORT, endpointAt, parseServerList } from './server-list.js';
export type { ServerEntry, ServerList } from './server-list.js';
export { ENDPOINT_STATE } from './subchannel.js';
export type { EndpointState } from './subchannel.js';
