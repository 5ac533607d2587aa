/**
 * Fills `${NAME:default}` placeholders from the environment.
 *
 * A placeholder may stand anywhere in a value, several times. An environment variable that is unset or empty leaves the
 * default. A default or environment value in double quotes loses them and stays a text (`"10.5"`). A default ends at the
 * brace that closes it: braces inside it are counted, those inside its quotes are not. `$${` writes `${`. What comes from
 * the environment is never expanded again.
 * @source the original's substitution table; names with digits and lower case, text around and several in one value are
 * broken there and work here.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Filled {
  readonly text: string;
  /** Names of the placeholders found, in order. */
  readonly names: readonly string[];
  /** Those of them that the environment gave a value. */
  readonly namesSet: readonly string[];
  /** True when the whole value is one placeholder whose result was not quoted: it reads as the original types it. */
  readonly isUntyped: boolean;
  /** Placeholders that have no end, and `${…}` that is no placeholder: offset in the source and what stands there. */
  readonly unterminated: readonly Stray[];
  readonly literal: readonly Stray[];
}

export interface Stray {
  readonly offset: number;
  readonly text: string;
}

const OPENING = /\$\$\{|\$\{/g;
const NAME_AND_COLON = /([A-Za-z0-9_.-]+):/y;

/** Offset of the brace that closes a default starting at `start`; -1 when there is none. */
function closingBrace(source: string, start: number): number {
  if (source[start] === '"') {
    const quoted = source.indexOf('"}', start + 1);
    if (quoted !== -1) return quoted + 1;
  }
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === '{') depth++;
    else if (source[at] === '}' && depth-- === 0) return at;
  }
  // Not balanced, a password with a brace perhaps: the nearest brace closes.
  return source.indexOf('}', start);
}

function unquote(text: string): string | undefined {
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1) : undefined;
}

export function fillPlaceholders(source: string, environment: Environment): Filled {
  const names: string[] = [];
  const namesSet: string[] = [];
  const unterminated: Stray[] = [];
  const literal: Stray[] = [];
  let text = '';
  let copied = 0;
  let isUntyped = false;
  OPENING.lastIndex = 0;
  for (let opening = OPENING.exec(source); opening !== null; opening = OPENING.exec(source)) {
    text += source.slice(copied, opening.index);
    copied = OPENING.lastIndex;
    if (opening[0] === '$${') {
      text += '${';
      continue;
    }
    NAME_AND_COLON.lastIndex = copied;
    const name = NAME_AND_COLON.exec(source)?.[1];
    const end = name === undefined ? -1 : closingBrace(source, NAME_AND_COLON.lastIndex);
    if (name === undefined || end === -1) {
      (name === undefined ? literal : unterminated).push({ offset: opening.index, text: source.slice(opening.index) });
      text += '${';
      continue;
    }
    const fromEnvironment = environment[name];
    const isUnset = fromEnvironment === undefined || fromEnvironment === '';
    const value = isUnset ? source.slice(NAME_AND_COLON.lastIndex, end) : fromEnvironment;
    const inner = unquote(value);
    isUntyped = inner === undefined && opening.index === 0 && end === source.length - 1;
    text += inner ?? value;
    names.push(name);
    if (!isUnset) namesSet.push(name);
    copied = OPENING.lastIndex = end + 1;
  }
  return { text: text + source.slice(copied), names, namesSet, isUntyped, unterminated, literal };
}
