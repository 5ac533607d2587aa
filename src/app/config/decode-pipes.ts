import { senderSchema } from '../../core/pipe/config.js';
import type { PluginKind } from '../../core/plugin.js';
import type { PipeConfig, PluginConfig } from './config.js';
import { decodeOptions, joinPath, positionOf, reportUnknownKeys, sectionList, subsection, textOf } from './decode.js';
import type { Section } from './decode.js';
import type { Sharing } from './decode-sharing.js';
import { CONFIG_ERRORS } from './errors.js';
import { suggest } from './nearest.js';
import { decodePlugin, notYetName } from './plugin-options.js';
import type { DecodeContext } from './plugin-options.js';
import { pipeCommonSchema } from './sections.js';

/** The maps of one pipe. */
interface PipeSections {
  readonly pipe: Section;
  readonly common: Section;
  readonly gatherer: Section;
  readonly receiver: Section;
  readonly queue: Section;
  readonly processor: Section;
  readonly filters: readonly Section[];
  readonly sender: Section;
  readonly fallbacker: Section;
  readonly forwarders: readonly Section[];
}

/** A decoded pipe with its place, for the checks between pipes. */
export interface DecodedPipe extends PipeConfig {
  readonly section: Section;
}

/** Decodes `pipes`. A pipe with something wrong is left out; one that needs what is not here yet is noted. */
export function decodePipes(root: Section, sharing: Sharing, context: DecodeContext): readonly DecodedPipe[] {
  const pipes: DecodedPipe[] = [];
  for (const section of sectionList(root, 'pipes', context.problems)) {
    const sections = sectionsOf(section, context);
    const name = textOf(sections.common, 'pipe_name', context.problems) ?? '';
    const missing = notYetNames(sections, context);
    if (missing.length > 0) {
      context.notYet.addSection(section, name === '' ? section.path : name, missing);
      continue;
    }
    const pipe = decodePipe(name, sections, sharing, context);
    if (pipe !== undefined) pipes.push({ ...pipe, section });
  }
  return pipes;
}

function sectionsOf(pipe: Section, { problems }: DecodeContext): PipeSections {
  const gatherer = subsection(pipe, 'gatherer', problems);
  const processor = subsection(pipe, 'processor', problems);
  const sender = subsection(pipe, 'sender', problems);
  return {
    pipe,
    common: subsection(pipe, 'common_config', problems),
    gatherer,
    receiver: subsection(gatherer, 'receiver', problems),
    queue: subsection(gatherer, 'queue', problems),
    processor,
    filters: sectionList(processor, 'filters', problems),
    sender,
    fallbacker: subsection(sender, 'fallbacker', problems),
    forwarders: sectionList(sender, 'forwarders', problems),
  };
}

function notYetNames(sections: PipeSections, context: DecodeContext): readonly string[] {
  const names = [
    notYetName(sections.receiver, 'receiver', context),
    notYetName(sections.queue, 'queue', context),
    notYetName(sections.fallbacker, 'fallbacker', context),
    ...sections.forwarders.map((forwarder) => notYetName(forwarder, 'forwarder', context)),
  ];
  return names.filter((name) => name !== undefined);
}

function decodePipe(
  name: string,
  sections: PipeSections,
  sharing: Sharing,
  context: DecodeContext,
): PipeConfig | undefined {
  const { problems } = context;
  const { pipe, gatherer, processor, sender } = sections;
  reportUnknownKeys(pipe, [], ['common_config', 'gatherer', 'processor', 'sender'], problems);
  reportUnknownKeys(sections.common, [pipeCommonSchema], [], problems);
  reportUnknownKeys(gatherer, [], ['server_name', 'receiver', 'fetcher', 'queue'], problems);
  reportUnknownKeys(processor, [], ['filters'], problems);
  reportUnknownKeys(sender, [senderSchema], ['fallbacker', 'client_name', 'forwarders'], problems);

  const hasName = name !== '' || missing(pipe, 'common_config.pipe_name', 'the pipe has no name', context);
  const receiver = required(gatherer, sections.receiver, 'receiver', context);
  const queue = required(gatherer, sections.queue, 'queue', context);
  const serverName = reference(gatherer, 'server', sharing.serverNames, context);
  const filters = sections.filters.map((filter) => decodePlugin(filter, 'filter', context));
  const fallbacker = required(sender, sections.fallbacker, 'fallbacker', context);
  const clientName = reference(sender, 'client', sharing.clientNames, context);
  const forwarders = sections.forwarders.map((forwarder) => decodePlugin(forwarder, 'forwarder', context));
  if (forwarders.length === 0) missing(sender, 'forwarders', 'the sender has no forwarder', context);
  const options = decodeOptions(sender, senderSchema, problems);

  if (!hasName || receiver === undefined || queue === undefined || serverName === undefined) return undefined;
  if (fallbacker === undefined || clientName === undefined || options === undefined) return undefined;
  if (forwarders.length === 0 || !isComplete(forwarders) || !isComplete(filters)) return undefined;
  checkDataTypes(receiver, forwarders, sections, context);
  return {
    name,
    gatherer: { serverName, receiver, queue },
    processor: { filters },
    sender: { clientName, fallbacker, forwarders, options },
  };
}

function isComplete(plugins: readonly (PluginConfig | undefined)[]): plugins is readonly PluginConfig[] {
  return plugins.every((plugin) => plugin !== undefined);
}

/** Reports an absent key; always false, for conditions. */
function missing(section: Section, key: string, message: string, { problems }: DecodeContext): false {
  const remedy = `Add ${joinPath(section.path, key)}.`;
  problems.error(CONFIG_ERRORS.missing, section.path, section.position, message, remedy);
  return false;
}

function required(
  parent: Section,
  section: Section,
  kind: PluginKind,
  context: DecodeContext,
): PluginConfig | undefined {
  if (section.node !== undefined) return decodePlugin(section, kind, context);
  // A value of another type under the key is reported already.
  if (!parent.node?.entries.has(kind)) missing(parent, kind, `there is no ${kind}`, context);
  return undefined;
}

/** The shared plugin that a stage refers to, if it exists. */
function reference(
  stage: Section,
  kind: 'server' | 'client',
  names: ReadonlySet<string>,
  context: DecodeContext,
): string | undefined {
  const key = `${kind}_name`;
  const name = textOf(stage, key, context.problems);
  if (name === undefined) {
    missing(stage, key, `there is no ${key}`, context);
    return undefined;
  }
  if (names.has(name)) return name;
  const message = `no ${kind} in sharing.${kind}s is called "${name}"`;
  const remedy = names.size === 0 ? `Add it to sharing.${kind}s.` : suggest(name, [...names]);
  const path = joinPath(stage.path, key);
  context.problems.error(CONFIG_ERRORS.reference, path, positionOf(stage, key), message, remedy);
  return undefined;
}

/** A forwarder that does not take what the receiver makes would never get anything. */
function checkDataTypes(
  receiver: PluginConfig,
  forwarders: readonly PluginConfig[],
  sections: PipeSections,
  { catalogue, problems }: DecodeContext,
): void {
  const dataType = catalogue.find('receiver', receiver.name)?.dataType;
  if (dataType === undefined) return;
  const fitting = catalogue.definitions('forwarder').filter((definition) => definition.dataType === dataType);
  for (const [index, forwarder] of forwarders.entries()) {
    const carried = catalogue.find('forwarder', forwarder.name)?.dataType;
    if (carried === undefined || carried === dataType) continue;
    const section = sections.forwarders[index]!;
    const path = joinPath(section.path, 'plugin_name');
    const message = `${forwarder.name} forwards ${carried}, but ${receiver.name} receives ${dataType}`;
    const remedy = `Use ${fitting.map((definition) => definition.name).join(' or ')}.`;
    problems.error(CONFIG_ERRORS.mismatch, path, positionOf(section, 'plugin_name'), message, remedy);
  }
}
