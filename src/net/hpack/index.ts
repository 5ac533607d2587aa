/**
 * Header compression for HTTP/2: flat lists of fields to blocks of bytes and back.
 * Below: base. Above: net/http2, its only user.
 * Entry points: HpackEncoder, HpackDecoder.
 * Invariants: bytes in, strings (latin1) out; no input throws; blocks are coded in wire order.
 * Spec: RFC 7541.
 */
export { HpackDecoder, HPACK_LIST_BOMB, HPACK_LIST_TOO_LARGE, HPACK_OK, hpackErrorOf } from './decoder.js';
export { DEFAULT_TABLE_BYTES, HpackEncoder } from './encoder.js';
export { HPACK_ERRORS } from './errors.js';
