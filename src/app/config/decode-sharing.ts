import type { PluginConfig } from './config.js';
import { decodeOptions, joinPath, positionOf, reportUnknownKeys, sectionList, subsection, textOf } from './decode.js';
import type { Section } from './decode.js';
import { CONFIG_ERRORS } from './errors.js';
import { decodePlugin, notesNotYetFinder, notYetName } from './plugin-options.js';
import type { DecodeContext } from './plugin-options.js';
import type { Position } from './problem.js';
import { sharingCommonSchema } from './sections.js';

/** A shared plugin with the places that later checks point at. */
export interface SharedPlugin extends PluginConfig {
  readonly section: Section;
}

/** The shared plugins of one kind. */
export interface SharedPlugins {
  readonly plugins: readonly SharedPlugin[];
  /** Every name in the file, also of those that could not be decoded: a reference to them is not dangling. */
  readonly names: ReadonlySet<string>;
}

export interface Sharing {
  readonly pipeName: string;
  readonly clients: SharedPlugins;
  readonly servers: SharedPlugins;
}

/** Decodes `sharing`: the clients and servers that pipes refer to by plugin name. */
export function decodeSharing(root: Section, context: DecodeContext): Sharing {
  const section = subsection(root, 'sharing', context.problems);
  reportUnknownKeys(section, [], ['common_config', 'clients', 'servers'], context.problems);
  const common = subsection(section, 'common_config', context.problems);
  reportUnknownKeys(common, [sharingCommonSchema], [], context.problems);
  return {
    pipeName: decodeOptions(common, sharingCommonSchema, context.problems)?.pipe_name ?? '',
    clients: decodeShared(section, 'client', context),
    servers: decodeShared(section, 'server', context),
  };
}

function decodeShared(sharing: Section, kind: 'client' | 'server', context: DecodeContext): SharedPlugins {
  const { catalogue, problems, notYet } = context;
  const plugins: SharedPlugin[] = [];
  const firstOf = new Map<string, Position | null>();
  for (const section of sectionList(sharing, `${kind}s`, problems)) {
    const name = textOf(section, 'plugin_name', problems) ?? '';
    const twin = firstOf.get(name);
    if (twin !== undefined && name !== '') {
      const path = joinPath(section.path, 'plugin_name');
      const message = `the ${kind} "${name}" stands here a second time (first in line ${twin?.line ?? 0})`;
      const remedy = `Keep one: pipes refer to a ${kind} by its plugin name.`;
      problems.error(CONFIG_ERRORS.duplicate, path, positionOf(section, 'plugin_name'), message, remedy);
      continue;
    }
    firstOf.set(name, section.position);
    if (notYetName(section, kind, context) !== undefined) {
      notYet.addSection(section, section.path, [name]);
      continue;
    }
    const schema = catalogue.find(kind, name)?.schema;
    if (schema !== undefined && notesNotYetFinder(section, schema, context)) continue;
    const plugin = decodePlugin(section, kind, context);
    if (plugin !== undefined) plugins.push({ ...plugin, section });
  }
  firstOf.delete('');
  return { plugins, names: new Set(firstOf.keys()) };
}
