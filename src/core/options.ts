/**
 * Option builders: every option is declared once, with type, default, unit and one or two sentences; validation, docs and
 * the JSON schema derive from it. Values come as users write them: weakly typed, env values as text (`"5000"`, `true`, `5s`,
 * `64MiB`).
 */
import { z } from 'zod';

export type OptionUnit = 'ms' | 's' | 'bytes' | 'count' | 'ratio' | 'percent' | 'none';

/** What a builder attaches to its schema; read with `optionMeta`. */
export interface OptionMeta {
  readonly type: 'string' | 'boolean' | 'integer' | 'number' | 'duration' | 'size' | 'list' | 'enum' | 'map';
  readonly unit: OptionUnit;
  readonly doc: string;
  /** As written in the documentation; undefined: no default. */
  readonly defaultText: string | undefined;
  readonly isSecret: boolean;
  /** An option the original does not have. */
  readonly isOurs: boolean;
}

const metas = new WeakMap<z.ZodType, OptionMeta>();

/** The declaration behind an option's schema, or undefined for a schema not made here. */
export function optionMeta(schema: z.ZodType): OptionMeta | undefined {
  return metas.get(schema);
}

interface Declaration<T> {
  readonly doc: string;
  readonly default: T;
  readonly isSecret?: boolean;
  /** True for options the original does not have. */
  readonly ours?: boolean;
}

function declare<S extends z.ZodType>(
  schema: S,
  type: OptionMeta['type'],
  unit: OptionUnit,
  declaration: Declaration<unknown>,
): S {
  metas.set(schema, {
    type,
    unit,
    doc: declaration.doc,
    defaultText: declaration.default === undefined ? undefined : JSON.stringify(declaration.default),
    isSecret: declaration.isSecret ?? false,
    isOurs: declaration.ours ?? false,
  });
  return schema;
}

function integerFrom(value: unknown): unknown {
  if (typeof value !== 'string') return typeof value === 'boolean' ? Number(value) : value;
  const text = value.trim();
  if (text === '') return 0;
  const signed = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|\d+)$/.exec(text);
  if (signed === null) return Number.isFinite(Number(text)) ? Number(text) : value;
  const digits = signed[2]!;
  const magnitude = /^0[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number(digits);
  return signed[1] === '-' ? -magnitude : magnitude;
}

const TRUE_TEXTS = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_TEXTS = new Set(['', '0', 'f', 'F', 'false', 'FALSE', 'False']);

function booleanFrom(value: unknown): unknown {
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'string') return value;
  if (TRUE_TEXTS.has(value.trim())) return true;
  return FALSE_TEXTS.has(value.trim()) ? false : value;
}

const DURATION_UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `5s`, `1m30s`, `250ms`; a bare number counts in `bareUnitMs`. Undefined when it is no duration. */
export function parseDuration(value: unknown, bareUnitMs: number): number | undefined {
  if (typeof value === 'number') return value * bareUnitMs;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text) * bareUnitMs;
  const whole = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;
  if (!whole.test(text)) return undefined;
  let total = 0;
  for (const part of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) total += Number(part[1]) * DURATION_UNITS[part[2]!]!;
  return total;
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1, b: 1, k: 1000, kb: 1000, kib: 1024, m: 1e6, mb: 1e6, mib: 1024 ** 2, g: 1e9, gb: 1e9, gib: 1024 ** 3,
};

/** Bytes of `64MiB`, `1.5GiB`, `1000`; undefined when it is no size. */
export function parseSize(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const match = /^(\d+(?:\.\d+)?)\s*([a-zA-Z]*)$/.exec(value.trim());
  const unit = match === null ? undefined : SIZE_UNITS[match[2]!.toLowerCase()];
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

function bounded(schema: z.ZodNumber, bounds: Bounds): z.ZodNumber {
  let result = schema;
  if (bounds.min !== undefined) result = result.min(bounds.min);
  if (bounds.max !== undefined) result = result.max(bounds.max);
  return result;
}

export function stringOption(declaration: Declaration<string>): z.ZodType<string> {
  const schema = z.preprocess(
    (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : (value ?? declaration.default)),
    z.string(),
  );
  return declare(schema as z.ZodType<string>, 'string', 'none', declaration);
}

export function booleanOption(declaration: Declaration<boolean>): z.ZodType<boolean> {
  const schema = z.preprocess((value) => booleanFrom(value ?? declaration.default), z.boolean());
  return declare(schema as z.ZodType<boolean>, 'boolean', 'none', declaration);
}

export function integerOption(declaration: Declaration<number> & Bounds & { readonly unit?: OptionUnit }): z.ZodType<number> {
  const schema = z.preprocess((value) => integerFrom(value ?? declaration.default), bounded(z.number().int(), declaration));
  return declare(schema as z.ZodType<number>, 'integer', declaration.unit ?? 'count', declaration);
}

export function numberOption(declaration: Declaration<number> & Bounds & { readonly unit?: OptionUnit }): z.ZodType<number> {
  const schema = z.preprocess((value) => integerFrom(value ?? declaration.default), bounded(z.number(), declaration));
  return declare(schema as z.ZodType<number>, 'number', declaration.unit ?? 'none', declaration);
}

/** Result in milliseconds; a bare number counts in `unit`. */
export function durationOption(
  declaration: Declaration<number | string> & Bounds & { readonly unit: 'ms' | 's' },
): z.ZodType<number> {
  const bareUnitMs = declaration.unit === 's' ? 1000 : 1;
  const schema = z.preprocess(
    (value) => parseDuration(value ?? declaration.default, bareUnitMs) ?? value,
    bounded(z.number({ error: `expected a duration such as 5s, 250ms or a number of ${declaration.unit}` }), declaration),
  );
  return declare(schema as z.ZodType<number>, 'duration', declaration.unit, declaration);
}

/** Result in bytes. */
export function sizeOption(declaration: Declaration<number | string> & Bounds): z.ZodType<number> {
  const schema = z.preprocess(
    (value) => parseSize(value ?? declaration.default) ?? value,
    bounded(z.number({ error: 'expected a size such as 64MiB, 1GB or a number of bytes' }).int(), declaration),
  );
  return declare(schema as z.ZodType<number>, 'size', 'bytes', declaration);
}

export function enumOption<const T extends readonly [string, ...string[]]>(
  values: T,
  declaration: Declaration<T[number]>,
): z.ZodType<T[number]> {
  const schema = z.preprocess((value) => value ?? declaration.default, z.enum(values));
  return declare(schema as unknown as z.ZodType<T[number]>, 'enum', 'none', declaration);
}

/** A list of strings; a string is split on commas, as the original does. */
export function listOption(declaration: Declaration<readonly string[]>): z.ZodType<readonly string[]> {
  const schema = z.preprocess((value) => {
    const given = value ?? declaration.default;
    if (typeof given !== 'string') return given;
    return given === '' ? [] : given.split(',').map((item) => item.trim());
  }, z.array(z.preprocess((item) => (typeof item === 'number' || typeof item === 'boolean' ? String(item) : item), z.string())));
  return declare(schema as z.ZodType<readonly string[]>, 'list', 'none', declaration);
}
