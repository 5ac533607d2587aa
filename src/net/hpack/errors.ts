/** What can go wrong in a header block. */
import type { ErrorKind } from '../../base/index.js';

const COMPRESSION = { scope: 'connection', origin: 'remote', disposition: 'reject' } as const;

/** Rows for docs/errors.md. All but the last close the connection with COMPRESSION_ERROR, for its table is out of step. */
export const HPACK_ERRORS = {
  TRUNCATED: {
    code: 'SAT_HPACK_TRUNCATED',
    ...COMPRESSION,
    doc: 'A header block of the peer ended inside a field.',
  },
  INTEGER: {
    code: 'SAT_HPACK_INTEGER',
    ...COMPRESSION,
    doc: 'A header block of the peer held an integer that is too large or too long.',
  },
  INDEX: {
    code: 'SAT_HPACK_INDEX',
    ...COMPRESSION,
    doc: 'A header block of the peer named a table entry that does not exist.',
  },
  HUFFMAN: {
    code: 'SAT_HPACK_HUFFMAN',
    ...COMPRESSION,
    doc: 'A header block of the peer held a string with a broken Huffman code.',
  },
  TABLE_SIZE: {
    code: 'SAT_HPACK_TABLE_SIZE',
    ...COMPRESSION,
    doc: 'The peer changed the size of its header table at a wrong place, above our limit, or not after we lowered it.',
  },
  LIST_TOO_LARGE: {
    code: 'SAT_HPACK_LIST_TOO_LARGE',
    scope: 'call',
    origin: 'remote',
    disposition: 'reject',
    doc: 'The header fields of one call exceed our limit; the call is refused, the connection goes on.',
  },
} as const satisfies Record<string, ErrorKind>;
