/**
 * Option builders: every option is declared once, with type, default, unit and one or two sentences; validation, docs and
 * the JSON schema derive from it. Values come as users write them, weakly typed: `"5000"`, `true`, `5s`, `64MiB`. An
 * absent or null value takes the default.
 */
import { z } from 'zod';
import { parseBoolean, parseDuration, parseList, parseNumber, parseSize, parseText } from './option-text.js';

export { parseDuration, parseSize } from './option-text.js';

export type OptionUnit = 'ms' | 's' | 'bytes' | 'count' | 'ratio' | 'percent' | 'none';

/** What a builder attaches to its schema; read with `optionMeta`. */
export interface OptionMeta {
  readonly type: 'string' | 'boolean' | 'integer' | 'number' | 'duration' | 'size' | 'list' | 'enum';
  /** Of a bare number as the user writes it. */
  readonly unit: OptionUnit;
  readonly doc: string;
  /** As written in the documentation; undefined: no default. */
  readonly defaultText: string | undefined;
  readonly isSecret: boolean;
  /** An option the original does not have. */
  readonly isOurs: boolean;
  /** What an enum allows. */
  readonly values?: readonly string[];
  /** Bounds of the decoded value (milliseconds for durations, bytes for sizes). */
  readonly min?: number;
  readonly max?: number;
}

const metas = new WeakMap<z.ZodType, OptionMeta>();

/** The declaration behind an option's schema, or undefined for a group and for a schema not made here. */
export function optionMeta(schema: z.ZodType): OptionMeta | undefined {
  return metas.get(schema);
}

/** A schema whose keys can be walked: a plugin's options, a section of the file, or a group of options in either. */
export type OptionsSchema<T = unknown> = z.ZodType<T> & { readonly shape: Readonly<Record<string, z.ZodType>> };

/** The schema as a group of options, also from inside a preprocess, default or optional; undefined for a single option. */
export function asOptions(schema: z.ZodType): OptionsSchema | undefined {
  if ('shape' in schema) return schema as OptionsSchema;
  const { out, innerType } = schema.def as { readonly out?: z.ZodType; readonly innerType?: z.ZodType };
  const inner = out ?? innerType;
  return inner === undefined ? undefined : asOptions(inner);
}

interface Declaration<T> {
  readonly doc: string;
  readonly default: T;
  readonly isSecret?: boolean;
  /** True for options the original does not have. */
  readonly ours?: boolean;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** What `option` needs beside the user's declaration. */
interface Kind<T> {
  readonly type: OptionMeta['type'];
  readonly unit: OptionUnit;
  /** Ends the sentence "expected …". */
  readonly expected: string;
  readonly read: (value: unknown) => T | undefined;
  readonly target: z.ZodType<T>;
  readonly values?: readonly string[];
}

function option<T>(kind: Kind<T>, declaration: Declaration<unknown> & Bounds): z.ZodType<T> {
  const schema = z.preprocess((value) => kind.read(value ?? declaration.default), kind.target) as z.ZodType<T>;
  metas.set(schema, {
    type: kind.type,
    unit: kind.unit,
    doc: declaration.doc,
    defaultText: declaration.default === undefined ? undefined : JSON.stringify(declaration.default),
    isSecret: declaration.isSecret ?? false,
    isOurs: declaration.ours ?? false,
    ...(kind.values === undefined ? {} : { values: kind.values }),
    ...(declaration.min === undefined ? {} : { min: declaration.min }),
    ...(declaration.max === undefined ? {} : { max: declaration.max }),
  });
  return schema;
}

function numeric(expected: string, bounds: Bounds, unitText: string): z.ZodNumber {
  let schema = z.number({ error: `expected ${expected}` });
  if (bounds.min !== undefined) schema = schema.min(bounds.min, { error: `must be at least ${bounds.min}${unitText}` });
  if (bounds.max !== undefined) schema = schema.max(bounds.max, { error: `must be at most ${bounds.max}${unitText}` });
  return schema;
}

export function stringOption(declaration: Declaration<string>): z.ZodType<string> {
  const expected = 'a text';
  const target = z.string({ error: `expected ${expected}` });
  return option({ type: 'string', unit: 'none', expected, read: parseText, target }, declaration);
}

export function booleanOption(declaration: Declaration<boolean>): z.ZodType<boolean> {
  const expected = 'true or false';
  const target = z.boolean({ error: `expected ${expected}` });
  return option({ type: 'boolean', unit: 'none', expected, read: parseBoolean, target }, declaration);
}

export function integerOption(
  declaration: Declaration<number> & Bounds & { readonly unit?: OptionUnit },
): z.ZodType<number> {
  const expected = 'a whole number';
  const target = numeric(expected, declaration, '').int({ error: `expected ${expected}` });
  const unit = declaration.unit ?? 'count';
  return option({ type: 'integer', unit, expected, read: parseNumber, target }, declaration);
}

export function numberOption(
  declaration: Declaration<number> & Bounds & { readonly unit?: OptionUnit },
): z.ZodType<number> {
  const expected = 'a number';
  const target = numeric(expected, declaration, '');
  const unit = declaration.unit ?? 'none';
  return option({ type: 'number', unit, expected, read: parseNumber, target }, declaration);
}

/** Result in milliseconds; a bare number counts in `unit`. */
export function durationOption(
  declaration: Declaration<number | string> & Bounds & { readonly unit: 'ms' | 's' },
): z.ZodType<number> {
  const { unit } = declaration;
  const expected = `a duration such as 5s or 250ms, or a number of ${unit === 's' ? 'seconds' : 'milliseconds'}`;
  const read = (value: unknown): number | undefined => parseDuration(value, unit === 's' ? 1000 : 1);
  return option({ type: 'duration', unit, expected, read, target: numeric(expected, declaration, ' ms') }, declaration);
}

/** Result in bytes. */
export function sizeOption(declaration: Declaration<number | string> & Bounds): z.ZodType<number> {
  const expected = 'a size such as 64MiB or 1GB, or a number of bytes';
  const target = numeric(expected, declaration, ' bytes').int({ error: `expected ${expected}` });
  return option({ type: 'size', unit: 'bytes', expected, read: parseSize, target }, declaration);
}

/** One of a few words, in any case. */
export function enumOption<const T extends readonly [string, ...string[]]>(
  values: T,
  declaration: Declaration<T[number]>,
): z.ZodType<T[number]> {
  const read = (value: unknown): T[number] | undefined => {
    const text = parseText(value)?.trim().toLowerCase();
    return values.find((word) => word.toLowerCase() === text);
  };
  const expected = `one of ${values.join(', ')}`;
  const target = z.custom<T[number]>((value) => value !== undefined, { error: `expected ${expected}` });
  return option({ type: 'enum', unit: 'none', expected, read, target, values }, declaration);
}

/** A list of texts; one text is split on commas, as the original does. */
export function listOption(declaration: Declaration<readonly string[]>): z.ZodType<readonly string[]> {
  const expected = 'a list of texts, or one text with commas';
  const target = z.array(z.string(), { error: `expected ${expected}` });
  return option({ type: 'list', unit: 'none', expected, read: parseList, target }, declaration);
}

/** Options under one key; when the key is absent all of them take their defaults. */
export function groupOption<S extends Readonly<Record<string, z.ZodType>>>(
  shape: S,
): OptionsSchema<{ readonly [K in keyof S]: z.output<S[K]> }> {
  const group = z.preprocess((value) => value ?? {}, z.object(shape, { error: 'expected a map of options' }));
  return Object.assign(group, { shape }) as never;
}
