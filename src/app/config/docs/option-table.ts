import { asOptions, optionMeta } from '../../../core/options.js';
import type { OptionMeta, OptionsSchema } from '../../../core/options.js';
import { writtenDuration, writtenSize } from '../dump.js';
import { nodeAt } from '../node.js';
import type { MapNode } from '../node.js';

/** One option with its dotted key, in the order of declaration. */
export interface OptionRow {
  readonly steps: readonly string[];
  readonly meta: OptionMeta;
}

/** All options of a schema, those of its groups too. */
export function optionRows(schema: OptionsSchema, prefix: readonly string[] = []): readonly OptionRow[] {
  return Object.entries(schema.shape).flatMap(([key, option]) => {
    const steps = [...prefix, key];
    const group = asOptions(option);
    if (group !== undefined) return optionRows(group, steps);
    const meta = optionMeta(option);
    return meta === undefined ? [] : [{ steps, meta }];
  });
}

const UNIT_TEXTS: Readonly<Record<OptionMeta['unit'], string>> = {
  ms: 'ms',
  s: 's',
  bytes: 'bytes',
  count: '',
  ratio: 'ratio',
  percent: '%',
  none: '',
};

/**
 * A Markdown table of a schema's options. `places` are the maps of the shipped file that hold them: the source of the
 * environment names.
 */
export function optionTable(schema: OptionsSchema, places: readonly MapNode[]): string {
  const rows = optionRows(schema);
  if (rows.length === 0) return 'It has no options.\n';
  const lines = rows.map(({ steps, meta }) => {
    const name = `\`${steps.join('.')}\`${meta.isOurs ? ' *' : ''}`;
    const cells = [name, typeText(meta), defaultText(meta), environmentText(steps, meta, places), meaningText(meta)];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const note = rows.some((row) => row.meta.isOurs) ? '\n\\* not in the original Satellite.\n' : '';
  const head = '| Option | Type | Default | Environment | Meaning |\n|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n${note}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function typeText(meta: OptionMeta): string {
  if (meta.values !== undefined) return meta.values.map((value) => `\`${value}\``).join(', ');
  const unit = UNIT_TEXTS[meta.unit];
  return unit === '' ? meta.type : `${meta.type} (${unit})`;
}

function defaultText(meta: OptionMeta): string {
  const text = plainDefault(meta);
  return text === '' ? '' : `\`${text}\``;
}

function plainDefault(meta: OptionMeta): string {
  if (meta.defaultText === undefined) return '';
  const value: unknown = JSON.parse(meta.defaultText);
  return Array.isArray(value) ? value.join(',') : String(value);
}

function environmentText(steps: readonly string[], meta: OptionMeta, places: readonly MapNode[]): string {
  const texts = new Set<string>();
  for (const place of places) {
    let node = nodeAt(place, steps);
    if (node?.kind === 'list') node = node.items[0];
    if (node?.kind !== 'scalar' || node.envNames.length === 0) continue;
    const shipped = node.text === plainDefault(meta) || node.text === '' ? '' : ` (\`${node.text}\`)`;
    texts.add(`${node.envNames.map((name) => `\`${name}\``).join(', ')}${shipped}`);
  }
  return [...texts].join('<br>');
}

function meaningText(meta: OptionMeta): string {
  const parts = [meta.doc];
  if (meta.min !== undefined && meta.min !== 0) parts.push(`At least ${boundText(meta.min, meta)}.`);
  if (meta.max !== undefined && meta.max < INT32_MAX) parts.push(`At most ${boundText(meta.max, meta)}.`);
  if (meta.isSecret) parts.push('Masked wherever the configuration is shown.');
  return parts.join(' ');
}

/** Such a bound says only that a number fits its field. */
const INT32_MAX = 0x7fffffff;

function boundText(bound: number, meta: OptionMeta): string {
  if (meta.type === 'duration') return writtenDuration(bound);
  return meta.type === 'size' ? `${writtenSize(bound)} bytes`.replace(/B bytes$/, 'B') : String(bound);
}
