import { senderSchema } from '../../../core/pipe/config.js';
import type { PluginKind } from '../../../core/plugin.js';
import type { AnyDefinition, Catalogue } from '../catalogue.js';
import { OPTIONS_NOT_YET } from '../original-names.js';
import { loggerSchema, pipeCommonSchema, resourcesSchema, sharingCommonSchema, telemetrySchema } from '../sections.js';
import { optionTable } from './option-table.js';
import type { ShippedFile } from './shipped-file.js';

/** Where a plugin of each kind stands in the file. */
const PLACES: Readonly<Record<PluginKind, string>> = {
  server: '`sharing.servers`: what receivers listen on',
  client: '`sharing.clients`: what forwarders send through',
  finder: "a client's `finder_type`: where its backends come from",
  receiver: '`gatherer.receiver` of a pipe: what takes data in',
  queue: '`gatherer.queue` of a pipe: what holds data until it is sent',
  filter: '`processor.filters` of a pipe: what decides about events on their way',
  fallbacker: '`sender.fallbacker` of a pipe: what happens after a final failure',
  forwarder: '`sender.forwarders` of a pipe: what sends data on',
};

export function pluginPage(definition: AnyDefinition, catalogue: Catalogue, shipped: ShippedFile): string {
  const { kind, name, title, description, stability, dataType, schema } = definition;
  const lines = [`# ${title}`, '', description, '', `- Name: \`${name}\``, `- Place: ${PLACES[kind]}`];
  if (stability === 'experimental') lines.push('- Experimental: it may change between versions.');
  if (dataType !== undefined) {
    const counterpart = kind === 'receiver' ? 'forwarder' : 'receiver';
    const fitting = catalogue.definitions(counterpart).filter((other) => other.dataType === dataType);
    const links = fitting.map((other) => `[${other.name}](${counterpart}_${other.name}.md)`);
    lines.push(`- Data type: ${dataType}; goes with ${links.length === 0 ? 'nothing yet' : links.join(', ')}`);
  }
  const unused = OPTIONS_NOT_YET[name];
  if (unused !== undefined) {
    lines.push(`- Of the original, read and without effect yet: ${unused.map((key) => `\`${key}\``).join(', ')}`);
  }
  lines.push('', '## Options', '', optionTable(schema, shipped.pluginMaps(kind, name)));
  return lines.join('\n');
}

export function configIndexPage(catalogue: Catalogue): string {
  const kinds = (Object.keys(PLACES) as PluginKind[]).filter((kind) => catalogue.names(kind).length > 0);
  const parts = kinds.map((kind) => {
    const rows = catalogue
      .definitions(kind)
      .map(({ name, title }) => `| [\`${name}\`](${kind}_${name}.md) | ${title} |`);
    return `## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}s\n\nPlace: ${PLACES[kind]}.\n\n| Name | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `${INDEX_INTRODUCTION}\n${parts.join('\n')}`;
}

const INDEX_INTRODUCTION = `# Configuration

Read this when you write or change a configuration file. The full default is \`configs/satellite_config.yaml\`; a file of
the original Satellite works as it is, as far as its plugins exist here. \`satellite validate -c FILE\` lists everything
wrong with a file, \`satellite config -c FILE\` prints what is in effect. \`configs/satellite.schema.json\` is for editors.

The file is the one named by \`-c FILE\`, else by \`SATELLITE_CONFIG\`, else
\`/skywalking/config/satellite_config.yaml\`, where the Helm chart mounts one, else \`configs/satellite_config.yaml\`.

- [The sections outside of plugins](sections.md): logger, telemetry, resources, sharing, pipes and their senders.

## Values

| Written | Means |
|---|---|
| \`\${NAME:default}\` | The environment variable NAME, or the default when it is unset or empty. Anywhere in a value, several times. |
| \`\${NAME:}\` | The default is empty. |
| \`\${NAME:"10.5"}\` | Quotes around a default or around the variable's value are taken off; braces inside quotes are text. |
| \`$\${\` | The text \`\${\`. |
| \`5s\`, \`250ms\`, \`1m30s\` | A duration. A bare number counts in the unit of the option. |
| \`64MiB\`, \`1GB\`, \`1000\` | A size in bytes. |
| \`a,b\` | For a list: the same as \`[a, b]\`. |

Text stays as it is written, quoted or not: a token \`0123\` or \`true\` reaches its option unchanged. Keys are the same in
upper and lower case. A key without a value takes its default. Keys that nothing reads are warnings at \`start\` and errors
under \`validate\`.
`;

export function sectionsPage(shipped: ShippedFile): string {
  const sender = optionTable(senderSchema, shipped.pipeSections('sender'));
  return `# Sections of the configuration file

## logger

${optionTable(loggerSchema, shipped.section('logger'))}
## telemetry

${optionTable(telemetrySchema, shipped.section('telemetry'))}
Exporters: \`prometheus\`, \`none\`. \`pprof\` and \`metrics_service\` of the original are skipped with a warning.

## resources

${optionTable(resourcesSchema, shipped.section('resources'))}
## sharing

\`clients\` and \`servers\` are lists of plugins that pipes use together and refer to by plugin name.

\`common_config\`:

${optionTable(sharingCommonSchema, [])}
## pipes

A list. Each pipe is one line from a receiver to its forwarders, with a queue of its own:

| Key | Meaning |
|---|---|
| \`common_config\` | See below. |
| \`gatherer.server_name\` | The shared server that the receiver registers on. |
| \`gatherer.receiver\` | A receiver. |
| \`gatherer.queue\` | A queue. |
| \`processor.filters\` | A list of filters; may be empty or absent. |
| \`sender\` | The options below, and the next three keys. |
| \`sender.fallbacker\` | A fallbacker. |
| \`sender.client_name\` | The shared client that the forwarders send through. |
| \`sender.forwarders\` | A list of forwarders; each must take the receiver's data type. |

\`common_config\` of a pipe:

${optionTable(pipeCommonSchema, [])}
### sender

${sender}`;
}
