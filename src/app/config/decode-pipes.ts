import { senderSchema } from '../../core/pipe/config.js';
import type { PluginKind } from '../../core/plugin.js';
import { checkDuplicates } from './checks.js';
import type { PipeIdentity } from './checks.js';
import type { PipeConfig, PluginConfig } from './config.js';
import { decodeOptions, joinPath, positionOf, reportUnknownKeys, sectionList, subsection, textOf } from './decode.js';
import type { Section } from './decode.js';
import { childOf } from './node.js';
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

/** Decodes `pipes`. A pipe with something wrong is left out; one that needs what is not here yet is noted. */
export function decodePipes(root: Section, sharing: Sharing, context: DecodeContext): readonly PipeConfig[] {
  const pipes: PipeConfig[] = [];
  const identities: PipeIdentity[] = [];
  for (const section of sectionList(root, 'pipes', context.problems)) {
    const sections = sectionsOf(section, context);
    const name = textOf(sections.common, 'pipe_name', context.problems) ?? '';
    const missing = notYetNames(sections, context);
    if (missing.length > 0) {
      context.notYet.addSection(section, name === '' ? section.path : name, missing);
      continue;
    }
    const pipe = decodePipe(name, sections, sharing, context);
    if (pipe !== undefined) pipes.push(pipe);
    identities.push({
      section,
      name,
      receiver: textOf(sections.receiver, 'plugin_name', context.problems) ?? '',
      server: textOf(sections.gatherer, 'server_name', context.problems) ?? '',
    });
  }
  checkDuplicates(identities, context.problems);
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
  reportUnknownKeys(sections.pipe, [], ['common_config', 'gatherer', 'processor', 'sender'], problems);
  reportUnknownKeys(sections.common, [pipeCommonSchema], [], problems);
  reportUnknownKeys(sections.processor, [], ['filters'], problems);

  if (name === '') missing(sections.pipe, 'common_config.pipe_name', 'the pipe has no name', context);
  const gatherer = decodeGatherer(sections, sharing, context);
  const filters = sections.filters.map((filter) => decodePlugin(filter, 'filter', context));
  const sender = decodeSender(sections, sharing, context);
  checkDataTypes(sections, context);

  if (name === '' || gatherer === undefined || sender === undefined || !isComplete(filters)) return undefined;
  return { name, gatherer, processor: { filters }, sender };
}

function decodeGatherer(
  sections: PipeSections,
  sharing: Sharing,
  context: DecodeContext,
): PipeConfig['gatherer'] | undefined {
  const { gatherer } = sections;
  if (!isStageThere(sections.pipe, gatherer, 'gatherer', 'server_name, receiver and queue', context)) return undefined;
  reportUnknownKeys(gatherer, [], ['server_name', 'receiver', 'fetcher', 'queue'], context.problems);
  const serverName = reference(gatherer, 'server', sharing, context);
  const receiver = required(gatherer, sections.receiver, 'receiver', context);
  const queue = required(gatherer, sections.queue, 'queue', context);
  if (serverName === undefined || receiver === undefined || queue === undefined) return undefined;
  return { serverName, receiver, queue };
}

function decodeSender(
  sections: PipeSections,
  sharing: Sharing,
  context: DecodeContext,
): PipeConfig['sender'] | undefined {
  const { sender } = sections;
  const keys = 'fallbacker, client_name and forwarders';
  if (!isStageThere(sections.pipe, sender, 'sender', keys, context)) return undefined;
  reportUnknownKeys(sender, [senderSchema], ['fallbacker', 'client_name', 'forwarders'], context.problems);
  const fallbacker = required(sender, sections.fallbacker, 'fallbacker', context);
  const clientName = reference(sender, 'client', sharing, context);
  const forwarders = sections.forwarders.map((forwarder) => decodePlugin(forwarder, 'forwarder', context));
  if (forwarders.length === 0) missing(sender, 'forwarders', 'the sender has no forwarder', context);
  const options = decodeOptions(sender, senderSchema, context.problems);
  if (fallbacker === undefined || clientName === undefined || options === undefined) return undefined;
  if (forwarders.length === 0 || !isComplete(forwarders)) return undefined;
  return { clientName, fallbacker, forwarders, options };
}

function isStageThere(pipe: Section, stage: Section, key: string, keys: string, context: DecodeContext): boolean {
  if (stage.node !== undefined) return true;
  const isReported = pipe.node !== undefined && childOf(pipe.node, key) !== undefined;
  if (!isReported) missing(pipe, key, `the pipe has no ${key}`, context, ` with ${keys}`);
  return false;
}

function isComplete(plugins: readonly (PluginConfig | undefined)[]): plugins is readonly PluginConfig[] {
  return plugins.every((plugin) => plugin !== undefined);
}

function missing(section: Section, key: string, message: string, context: DecodeContext, withKeys = ''): void {
  const remedy = `Add ${joinPath(section.path, key)}${withKeys}.`;
  context.problems.error(CONFIG_ERRORS.missing, section.path, section.position, message, remedy);
}

function required(
  parent: Section,
  section: Section,
  kind: PluginKind,
  context: DecodeContext,
): PluginConfig | undefined {
  if (section.node !== undefined) return decodePlugin(section, kind, context);
  // A value of another type under the key is reported already.
  const isReported = parent.node !== undefined && childOf(parent.node, kind) !== undefined;
  if (!isReported) missing(parent, kind, `there is no ${kind}`, context);
  return undefined;
}

/** The shared plugin that a stage refers to, if it exists. */
function reference(
  stage: Section,
  kind: 'server' | 'client',
  sharing: Sharing,
  context: DecodeContext,
): string | undefined {
  const key = `${kind}_name`;
  const name = textOf(stage, key, context.problems);
  if (name === undefined) {
    missing(stage, key, `there is no ${key}`, context);
    return undefined;
  }
  const { names } = sharing[`${kind}s`];
  if (names.has(name)) return name;
  const message = `no ${kind} in sharing.${kind}s is called "${name}"`;
  const offered = [...names].filter((candidate) => context.catalogue.find(kind, candidate) !== undefined);
  const remedy = offered.length === 0 ? `Add it to sharing.${kind}s.` : suggest(name, offered);
  const path = joinPath(stage.path, key);
  context.problems.error(CONFIG_ERRORS.reference, path, positionOf(stage, key), message, remedy);
  return undefined;
}

/** A forwarder that does not take what the receiver makes would never get anything. */
function checkDataTypes(sections: PipeSections, { catalogue, problems }: DecodeContext): void {
  const receiver = catalogue.find('receiver', textOf(sections.receiver, 'plugin_name', problems) ?? '');
  if (receiver?.dataType === undefined) return;
  const fitting = catalogue.definitions('forwarder').filter(({ dataType }) => dataType === receiver.dataType);
  for (const section of sections.forwarders) {
    const forwarder = catalogue.find('forwarder', textOf(section, 'plugin_name', problems) ?? '');
    if (forwarder?.dataType === undefined || forwarder.dataType === receiver.dataType) continue;
    const path = joinPath(section.path, 'plugin_name');
    const message = `${forwarder.name} forwards ${forwarder.dataType}, but ${receiver.name} receives ${receiver.dataType}`;
    const remedy = `Use ${fitting.map(({ name }) => name).join(' or ')}.`;
    problems.error(CONFIG_ERRORS.mismatch, path, positionOf(section, 'plugin_name'), message, remedy);
  }
}
