/**
 * The readers behind the option builders: what a user wrote (a text from the file or the environment, or a plain
 * JavaScript value) becomes a number, a boolean, a duration or a size. Each returns undefined for what it cannot read.
 * @source the original's weak decoding: a base prefix counts in whole numbers, empty text is 0 or false.
 */

const INTEGER = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]+|\d+)$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A number with an optional base prefix (`0x10`, `0b1`, `0o7`, `010`), a fraction or an exponent; empty text is 0. */
export function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text === '') return 0;
  const integer = INTEGER.exec(text);
  if (integer === null) return DECIMAL.test(text) ? Number(text) : undefined;
  const digits = integer[2]!;
  const magnitude = /^0[0-7]+$/.test(digits) ? parseInt(digits, 8) : Number(digits);
  return integer[1] === '-' ? -magnitude : magnitude;
}

const BOOLEAN_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['t', true],
  ['true', true],
  ['', false],
  ['0', false],
  ['f', false],
  ['false', false],
]);

/** `true`, `t`, `1`, `false`, `f`, `0` in any case; empty text is false. */
export function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  return typeof value === 'string' ? BOOLEAN_TEXTS.get(value.trim().toLowerCase()) : undefined;
}

const DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;
const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of `5s`, `1m30s`, `250ms`; a bare number counts in `bareUnitMs`. */
export function parseDuration(value: unknown, bareUnitMs: number): number | undefined {
  const bare = parseNumber(value);
  if (bare !== undefined) return bare * bareUnitMs;
  if (typeof value !== 'string' || !DURATION.test(value.trim())) return undefined;
  let totalMs = 0;
  for (const part of value.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    totalMs += Number(part[1]) * DURATION_UNITS_MS[part[2]!]!;
  }
  return totalMs;
}

const SIZE_UNITS_BYTES: Readonly<Record<string, number>> = {
  b: 1,
  k: 1000,
  kb: 1000,
  ki: 1024,
  kib: 1024,
  m: 1e6,
  mb: 1e6,
  mi: 1024 ** 2,
  mib: 1024 ** 2,
  g: 1e9,
  gb: 1e9,
  gi: 1024 ** 3,
  gib: 1024 ** 3,
};

/** Bytes of `64MiB`, `1.5GiB`, `512Mi`, `1000`. */
export function parseSize(value: unknown): number | undefined {
  const bare = parseNumber(value);
  if (bare !== undefined) return bare;
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*([a-zA-Z]+)$/.exec(value.trim()) : null;
  const unit = match === null ? undefined : SIZE_UNITS_BYTES[match[2]!.toLowerCase()];
  return match === null || unit === undefined ? undefined : Math.round(Number(match[1]) * unit);
}

/** Text of a scalar; undefined for lists and maps. */
export function parseText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A list of texts; one text is split on commas, as the original does. */
export function parseList(value: unknown): readonly string[] | undefined {
  const text = parseText(value);
  if (text !== undefined) return text.trim() === '' ? [] : text.split(',').map((item) => item.trim());
  if (!Array.isArray(value)) return undefined;
  const items = value.map(parseText);
  return items.every((item) => item !== undefined) ? items : undefined;
}
