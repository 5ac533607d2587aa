/** HOT. The rules of HTTP for a list of header fields. @source RFC 9113 §8.1-§8.3, RFC 9110 §5.6.2, §8.6. */
import type { HeaderFields } from './contract.js';

export const REQUEST = 0;
export const RESPONSE = 1;
export const TRAILERS = 2;

// Lower-case token characters. @source RFC 9110 §5.6.2; upper case is malformed in HTTP/2.
const NAME_CHARS = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") NAME_CHARS[char.charCodeAt(0)] = 1;

const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

const METHOD = 1;
const SCHEME = 2;
const PATH = 4;
const AUTHORITY = 8;
const STATUS = 16;
const ALL_OF_REQUEST = METHOD | SCHEME | PATH;

/** Checks a decoded list. @returns '' or what is malformed about it. */
export function findMalformed(fields: HeaderFields, kind: number): string {
  let pseudo = 0;
  let isConnect = false;
  let isRegular = false;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index]!;
    const value = fields[index + 1]!;
    if (!isValidValue(value)) return 'a field value has forbidden characters';
    if (name.charCodeAt(0) !== 0x3a) {
      isRegular = true;
      if (!isValidName(name)) return 'a field name is empty, upper case or has forbidden characters';
      if (CONNECTION_SPECIFIC.has(name)) return 'a connection-specific field';
      if (name === 'te' && value !== 'trailers') return 'a te field other than trailers';
      continue;
    }
    if (isRegular) return 'a pseudo-header field after a regular one';
    const bit = pseudoBit(name, kind);
    if (bit === 0) return 'an unknown or misplaced pseudo-header field';
    if ((pseudo & bit) !== 0) return 'a pseudo-header field twice';
    pseudo |= bit;
    if (bit === METHOD && value === 'CONNECT') isConnect = true;
    if (bit === PATH && value === '') return 'an empty :path';
    if (bit === STATUS && !/^[1-9][0-9][0-9]$/.test(value)) return 'a broken :status';
  }
  if (kind === RESPONSE && pseudo !== STATUS) return 'no :status';
  if (kind === REQUEST && isConnect && (pseudo & (SCHEME | PATH)) !== 0) return 'CONNECT with :scheme or :path';
  if (kind === REQUEST && !isConnect && (pseudo & ALL_OF_REQUEST) !== ALL_OF_REQUEST)
    return 'no :method, :scheme or :path';
  return '';
}

/** The content-length promised by a valid list; -1 none, -2 contradictory or no number. */
export function contentLengthOf(fields: HeaderFields): number {
  let length = -1;
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index] !== 'content-length') continue;
    const value = fields[index + 1]!;
    if (!/^[0-9]{1,15}$/.test(value)) return -2;
    const parsed = Number(value);
    if (length >= 0 && length !== parsed) return -2;
    length = parsed;
  }
  return length;
}

/** The :status of a valid response list. */
export function statusOf(fields: HeaderFields): number {
  return Number(fields[1]);
}

function pseudoBit(name: string, kind: number): number {
  if (kind === REQUEST) {
    if (name === ':method') return METHOD;
    if (name === ':path') return PATH;
    if (name === ':scheme') return SCHEME;
    if (name === ':authority') return AUTHORITY;
  }
  return kind === RESPONSE && name === ':status' ? STATUS : 0;
}

function isValidName(name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (NAME_CHARS[name.charCodeAt(index)] !== 1) return false;
  }
  return name.length > 0;
}

function isValidValue(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if (code <= 0x0d && (code === 0 || code === 0x0a || code === 0x0d)) return false;
  }
  return !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1));
}

/** Space or tab; NaN (an empty value) is neither. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
