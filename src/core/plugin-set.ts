/** All plugins there are, by kind and name; filled by src/plugins/all.ts, the only list. */
import type { FinderDefinition } from './balance/index.js';
import type {
  FallbackerDefinition,
  FilterDefinition,
  ForwarderDefinition,
  QueueDefinition,
  ReceiverDefinition,
} from './pipe/contract.js';
import type { ClientDefinition, ServerDefinition } from './plugin.js';

export interface PluginSet {
  readonly server: ReadonlyMap<string, ServerDefinition<unknown>>;
  readonly client: ReadonlyMap<string, ClientDefinition<unknown>>;
  /** What clients offer as `finder_type`. */
  readonly finder: ReadonlyMap<string, FinderDefinition>;
  readonly receiver: ReadonlyMap<string, ReceiverDefinition<unknown>>;
  readonly queue: ReadonlyMap<string, QueueDefinition<unknown>>;
  readonly filter: ReadonlyMap<string, FilterDefinition<unknown>>;
  readonly forwarder: ReadonlyMap<string, ForwarderDefinition<unknown>>;
  readonly fallbacker: ReadonlyMap<string, FallbackerDefinition<unknown>>;
}

/** Indexes definitions by their names. */
export function byName<T extends { readonly name: string }>(definitions: readonly T[]): ReadonlyMap<string, T> {
  return new Map(definitions.map((definition) => [definition.name, definition]));
}
