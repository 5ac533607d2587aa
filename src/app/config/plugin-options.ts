import type { OptionsSchema } from '../../core/options.js';
import { optionMeta } from '../../core/options.js';
import type { PluginKind } from '../../core/plugin.js';
import type { AnyDefinition, Catalogue } from './catalogue.js';
import type { PluginConfig } from './config.js';
import { decodeOptions, joinPath, positionOf, reportUnknownKeys, textOf } from './decode.js';
import type { Section } from './decode.js';
import { CONFIG_ERRORS } from './errors.js';
import { suggest } from './nearest.js';
import type { NotYetList } from './not-yet.js';
import { isOriginalPlugin, OPTIONS_NOT_YET } from './original-names.js';
import type { Problems } from './problem.js';

/** What the decoders of the sections share during one load. */
export interface DecodeContext {
  readonly catalogue: Catalogue;
  readonly problems: Problems;
  readonly notYet: NotYetList;
}

/** Keys the original puts into plugin maps by itself; harmless when a dumped file carries them. */
const INJECTED_KEYS = ['commonfields_pipe_name'];

/**
 * The definition that a plugin map names.
 * @returns undefined when it names none or an unknown one (a problem), or one that is not here yet (see `notYetName`).
 */
function definitionOf(section: Section, kind: PluginKind, context: DecodeContext): AnyDefinition | undefined {
  const { catalogue, problems } = context;
  const names = catalogue.names(kind);
  const name = textOf(section, 'plugin_name', problems);
  if (name === undefined) {
    const remedy = `Write plugin_name: ${names.join(' or ')}.`;
    problems.error(CONFIG_ERRORS.missing, section.path, section.position, `the ${kind} has no plugin_name`, remedy);
    return undefined;
  }
  const definition = catalogue.find(kind, name);
  if (definition === undefined && !isOriginalPlugin(kind, name)) {
    const path = joinPath(section.path, 'plugin_name');
    const position = positionOf(section, 'plugin_name');
    const message = `there is no ${kind} "${name}"`;
    problems.error(CONFIG_ERRORS.unknownPlugin, path, position, message, suggest(name, names));
  }
  return definition;
}

/** The name in a plugin map when it is one of the original's that the catalogue lacks. */
export function notYetName(section: Section, kind: PluginKind, context: DecodeContext): string | undefined {
  const name = section.node === undefined ? undefined : textOf(section, 'plugin_name', context.problems);
  const isMissing = name !== undefined && context.catalogue.find(kind, name) === undefined;
  return isMissing && isOriginalPlugin(kind, name) ? name : undefined;
}

/** Decodes a plugin map with its definition's schema. */
export function decodePlugin(section: Section, kind: PluginKind, context: DecodeContext): PluginConfig | undefined {
  const definition = definitionOf(section, kind, context);
  if (definition === undefined) return undefined;
  const others = ['plugin_name', ...INJECTED_KEYS, ...(OPTIONS_NOT_YET[definition.name] ?? [])];
  reportUnknownKeys(section, [definition.schema], others, context.problems);
  const options = decodeOptions(section, definition.schema, context.problems);
  return options === undefined ? undefined : { name: definition.name, options };
}

/** Notes a finder of the original that this client does not offer; false when there is none. */
export function notesNotYetFinder(section: Section, schema: OptionsSchema, context: DecodeContext): boolean {
  const option = schema.shape.finder_type;
  const offered = option === undefined ? undefined : optionMeta(option)?.values;
  const name = textOf(section, 'finder_type', context.problems);
  if (offered === undefined || name === undefined || offered.includes(name)) return false;
  if (!isOriginalPlugin('finder', name)) return false;
  context.notYet.addValue(section, 'finder_type', name, offered);
  return true;
}
