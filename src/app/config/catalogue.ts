import type { PluginDefinition, PluginKind } from '../../core/plugin.js';

/** A plugin's definition as far as configuration and documentation go. */
export type AnyDefinition = Omit<PluginDefinition<PluginKind, unknown, never, unknown>, 'create'>;

/** All plugins by kind and name: what the configuration may name. Handed in, so that this folder depends on no plugin. */
export class Catalogue {
  private readonly byKind = new Map<PluginKind, Map<string, AnyDefinition>>();

  constructor(definitions: readonly AnyDefinition[]) {
    for (const definition of definitions) {
      const named = this.byKind.get(definition.kind) ?? new Map<string, AnyDefinition>();
      named.set(definition.name, definition);
      this.byKind.set(definition.kind, named);
    }
  }

  find(kind: PluginKind, name: string): AnyDefinition | undefined {
    return this.byKind.get(kind)?.get(name);
  }

  /** Sorted. */
  names(kind: PluginKind): readonly string[] {
    return this.definitions(kind).map((definition) => definition.name);
  }

  /** Of one kind, sorted by name. */
  definitions(kind: PluginKind): readonly AnyDefinition[] {
    const named = [...(this.byKind.get(kind)?.values() ?? [])];
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
