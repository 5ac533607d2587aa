/** The static table and what is looked up in it. @source RFC 7541 Appendix A. */

/** Entries in the static table; dynamic entries are numbered from one above. */
export const STATIC_ENTRIES = 61;

// One entry a line of words: a name, then its values if the table lists any (each value makes one entry).
const ROWS: readonly (readonly string[])[] = [
  [':authority'],
  [':method', 'GET', 'POST'],
  [':path', '/', '/index.html'],
  [':scheme', 'http', 'https'],
  [':status', '200', '204', '206', '304', '400', '404', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ...(
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control ' +
    'content-disposition content-encoding content-language content-length content-location content-range ' +
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range ' +
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range ' +
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary via ' +
    'www-authenticate'
  )
    .split(' ')
    .map((name) => [name]),
];

/** Names by index; index 0 does not exist in HPACK. */
export const STATIC_NAMES: string[] = [''];
/** Values by index. */
export const STATIC_VALUES: string[] = [''];
const FIRST_INDEX = new Map<string, number>();

for (const [name = '', ...values] of ROWS) {
  FIRST_INDEX.set(name, STATIC_NAMES.length);
  for (const value of values.length === 0 ? [''] : values) {
    STATIC_NAMES.push(name);
    STATIC_VALUES.push(value);
  }
}

/** The lowest index with this name, or 0. */
export function findStaticName(name: string): number {
  return FIRST_INDEX.get(name) ?? 0;
}

/** The index with this name and value, or 0. `first` is what `findStaticName` gave; entries of one name are adjacent. */
export function findStaticField(first: number, name: string, value: string): number {
  if (first === 0) return 0;
  for (let index = first; STATIC_NAMES[index] === name; index++) {
    if (STATIC_VALUES[index] === value) return index;
  }
  return 0;
}
