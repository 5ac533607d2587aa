import { asOptions, optionMeta } from '../../core/options.js';
import type { OptionMeta, OptionsSchema } from '../../core/options.js';
import type { z } from 'zod';
import { CONFIG_ERRORS } from './errors.js';
import { suggest } from './nearest.js';
import { childOf, describeNode, nodeAt } from './node.js';
import type { ConfigNode, ListNode, MapNode } from './node.js';
import type { Position, Problems } from './problem.js';

/** A map of the file with its path, or the place where it is missing. */
export interface Section {
  /** Undefined: absent, all options take their defaults. */
  readonly node: MapNode | undefined;
  readonly path: string;
  readonly position: Position | null;
}

/** The section under `key`; another kind of value is a problem and counts as absent. */
export function subsection(parent: Section, key: string, problems: Problems): Section {
  const path = joinPath(parent.path, key);
  const value = parent.node === undefined ? undefined : childOf(parent.node, key);
  if (value === undefined) return { node: undefined, path, position: parent.position };
  if (value.kind === 'map') return { node: value, path, position: value.position };
  wrongType(problems, path, value, 'a map of options');
  return { node: undefined, path, position: value.position };
}

/** The elements of the list under `key`, each a section; what is no map is a problem. */
export function sectionList(parent: Section, key: string, problems: Problems): readonly Section[] {
  const path = joinPath(parent.path, key);
  const value = parent.node === undefined ? undefined : childOf(parent.node, key);
  if (value === undefined) return [];
  if (value.kind === 'scalar' && value.text === '') return [];
  if (value.kind !== 'list') {
    wrongType(problems, path, value, 'a list of maps');
    return [];
  }
  return mapItems(value, path, problems);
}

function mapItems(list: ListNode, path: string, problems: Problems): readonly Section[] {
  const sections: Section[] = [];
  for (const [index, item] of list.items.entries()) {
    const itemPath = `${path}[${index}]`;
    if (item.kind === 'map') sections.push({ node: item, path: itemPath, position: item.position });
    else if (item.kind !== 'null') wrongType(problems, itemPath, item, 'a map of options');
  }
  return sections;
}

/** The text under `key`, or undefined when it is absent or empty. */
export function textOf(parent: Section, key: string, problems: Problems): string | undefined {
  const value = parent.node === undefined ? undefined : childOf(parent.node, key);
  if (value === undefined) return undefined;
  if (value.kind === 'scalar') return value.text === '' ? undefined : value.text;
  wrongType(problems, joinPath(parent.path, key), value, 'a text');
  return undefined;
}

/** Where a key stands, or where its section does. */
export function positionOf(section: Section, key: string): Position | null {
  return section.node?.entries.get(key.toLowerCase())?.value.position ?? section.position;
}

/**
 * Decodes the options of a section with their schema. Keys in any case; keys the schema lacks are not looked at here,
 * except inside its groups.
 * @returns undefined when anything is wrong; each thing wrong is in `problems`.
 */
export function decodeOptions<T>(section: Section, schema: OptionsSchema<T>, problems: Problems): T | undefined {
  const result = schema.safeParse(plainValues(section.node, schema, section.path, problems));
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const steps = issue.path.filter((step): step is string | number => typeof step !== 'symbol');
    const node = section.node === undefined ? undefined : nodeAt(section.node, steps);
    const meta = metaAt(schema, steps);
    // A check between options speaks for itself.
    const isExpectation = /^(expected|must be) /.test(issue.message);
    const got =
      node === undefined || !isExpectation
        ? ''
        : `, got ${meta?.isSecret === true ? 'something else' : describeNode(node)}`;
    const path = steps.reduce<string>((path, step) => joinPath(path, step), section.path);
    const remedy = meta === undefined || !isExpectation ? 'Correct the value.' : remedyFor(meta);
    problems.error(CONFIG_ERRORS.value, path, node?.position ?? section.position, `${issue.message}${got}`, remedy);
  }
  return undefined;
}

/** Reports the keys of a section that are neither options of `schemas` nor in `others`. */
export function reportUnknownKeys(
  section: Section,
  schemas: readonly OptionsSchema[],
  others: readonly string[],
  problems: Problems,
): void {
  if (section.node === undefined) return;
  const known = [...schemas.flatMap((schema) => Object.keys(schema.shape)), ...others];
  const folded = new Set(known.map((key) => key.toLowerCase()));
  for (const [key, entry] of section.node.entries) {
    if (folded.has(key)) continue;
    const path = joinPath(section.path, entry.key);
    const remedy = suggest(entry.key, known);
    problems.strict(CONFIG_ERRORS.unknownKey, path, entry.keyPosition, 'unknown key', remedy);
  }
}

export function joinPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' ? step : `${path}.${step}`;
}

export function wrongType(problems: Problems, path: string, node: ConfigNode, expected: string): void {
  const message = `expected ${expected}, got ${describeNode(node)}`;
  problems.error(CONFIG_ERRORS.value, path, node.position, message, `Write ${expected} here.`);
}

/** The section as plain values under the schema's own key names. */
function plainValues(
  node: MapNode | undefined,
  schema: OptionsSchema,
  path: string,
  problems: Problems,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (node === undefined) return values;
  for (const [key, option] of Object.entries(schema.shape)) {
    const child = childOf(node, key);
    if (child === undefined) continue;
    const group = asOptions(option);
    if (group !== undefined && child.kind === 'map') {
      const section = { node: child, path: joinPath(path, key), position: child.position };
      reportUnknownKeys(section, [group], [], problems);
      values[key] = plainValues(child, group, section.path, problems);
    } else {
      values[key] = plainValue(child, optionMeta(option));
    }
  }
  return values;
}

const NUMERIC_TYPES: ReadonlySet<OptionMeta['type'] | undefined> = new Set(['integer', 'number', 'duration', 'size']);
const LEADING_ZEROS = /^(\s*[+-]?)0+(?=\d+\s*$)/;

function plainValue(node: ConfigNode, meta: OptionMeta | undefined): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.isUntyped && NUMERIC_TYPES.has(meta?.type) ? node.text.replace(LEADING_ZEROS, '$1') : node.text;
    case 'list':
      return node.items.map((item) => plainValue(item, meta)).filter((item) => item !== null);
    case 'map':
      return Object.fromEntries(
        [...node.entries.values()].map((entry) => [entry.key, plainValue(entry.value, undefined)]),
      );
    case 'null':
      return null;
  }
}

function metaAt(schema: OptionsSchema, steps: readonly (string | number)[]): OptionMeta | undefined {
  let option: z.ZodType | undefined = schema;
  for (const step of steps) {
    const group: OptionsSchema | undefined = option === undefined ? undefined : asOptions(option);
    if (group === undefined) break;
    option = group.shape[step];
  }
  return option === undefined ? undefined : optionMeta(option);
}

function remedyFor(meta: OptionMeta): string {
  return meta.defaultText === undefined ? 'Correct the value.' : `The default is ${meta.defaultText}.`;
}
