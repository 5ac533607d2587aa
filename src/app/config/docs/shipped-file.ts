import type { PluginKind } from '../../../core/plugin.js';
import { childOf, nodeAt } from '../node.js';
import type { ConfigNode, MapNode } from '../node.js';
import { parseYaml } from '../parse-yaml.js';
import { Problems } from '../problem.js';

/** The shipped configuration as the place where environment names are looked up. */
export class ShippedFile {
  private readonly root: MapNode;

  constructor(source: string) {
    const root = parseYaml(source, {}, new Problems());
    if (root === null) throw new Error('the shipped configuration cannot be parsed');
    this.root = root;
  }

  /** The map at a path, as a list of none or one. */
  section(...steps: readonly (string | number)[]): readonly MapNode[] {
    const node = nodeAt(this.root, steps);
    return node?.kind === 'map' ? [node] : [];
  }

  /** The pipes' maps under a key. */
  pipeSections(key: string): readonly MapNode[] {
    return this.pipes().flatMap((pipe) => mapOf(childOf(pipe, key)));
  }

  /** Every map that configures a plugin. */
  pluginMaps(kind: PluginKind, name: string): readonly MapNode[] {
    return this.candidates(kind).filter((map) => {
      // A finder has no map of its own: its options are those of the client that names it.
      const named = childOf(map, kind === 'finder' ? 'finder_type' : 'plugin_name');
      return named?.kind === 'scalar' && named.text === name;
    });
  }

  private candidates(kind: PluginKind): readonly MapNode[] {
    const gatherers = this.pipeSections('gatherer');
    const senders = this.pipeSections('sender');
    switch (kind) {
      case 'client':
      case 'finder':
        return items(nodeAt(this.root, ['sharing', 'clients']));
      case 'server':
        return items(nodeAt(this.root, ['sharing', 'servers']));
      case 'receiver':
      case 'queue':
        return gatherers.flatMap((gatherer) => mapOf(childOf(gatherer, kind)));
      case 'fallbacker':
        return senders.flatMap((sender) => mapOf(childOf(sender, kind)));
      case 'forwarder':
        return senders.flatMap((sender) => items(childOf(sender, 'forwarders')));
      case 'filter':
        return this.pipeSections('processor').flatMap((processor) => items(childOf(processor, 'filters')));
    }
  }

  private pipes(): readonly MapNode[] {
    return items(nodeAt(this.root, ['pipes']));
  }
}

function mapOf(node: ConfigNode | undefined): readonly MapNode[] {
  return node?.kind === 'map' ? [node] : [];
}

function items(node: ConfigNode | undefined): readonly MapNode[] {
  return node?.kind === 'list' ? node.items.flatMap(mapOf) : [];
}
