/** Error codes of the wire, and our own rows about them. */
import type { ErrorKind } from '../../base/index.js';

/** @source RFC 9113 §7. */
export const H2_NO_ERROR = 0x0;
export const H2_PROTOCOL_ERROR = 0x1;
export const H2_INTERNAL_ERROR = 0x2;
export const H2_FLOW_CONTROL_ERROR = 0x3;
export const H2_SETTINGS_TIMEOUT = 0x4;
export const H2_STREAM_CLOSED = 0x5;
export const H2_FRAME_SIZE_ERROR = 0x6;
export const H2_REFUSED_STREAM = 0x7;
export const H2_CANCEL = 0x8;
export const H2_COMPRESSION_ERROR = 0x9;
export const H2_CONNECT_ERROR = 0xa;
export const H2_ENHANCE_YOUR_CALM = 0xb;
export const H2_INADEQUATE_SECURITY = 0xc;
export const H2_HTTP_1_1_REQUIRED = 0xd;

const CODE_NAMES: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** The name of a wire code for logs; unknown ones as a number. */
export function errorCodeName(code: number): string {
  return CODE_NAMES[code] ?? `code ${code}`;
}

/** Rows for docs/errors.md. */
export const HTTP2_ERRORS = {
  PREFACE: {
    code: 'SAT_H2_PREFACE',
    scope: 'connection',
    origin: 'remote',
    disposition: 'reject',
    doc: 'The peer does not speak HTTP/2: its connection preface is missing or wrong.',
  },
  PROTOCOL: {
    code: 'SAT_H2_PROTOCOL',
    scope: 'connection',
    origin: 'remote',
    disposition: 'reject',
    doc: 'The peer broke a rule of HTTP/2 that concerns the whole connection, which was closed with GOAWAY.',
  },
  STREAM: {
    code: 'SAT_H2_STREAM',
    scope: 'call',
    origin: 'remote',
    disposition: 'reject',
    doc: 'The peer broke a rule of HTTP/2 on one stream, which was reset; the connection goes on.',
  },
  FLOOD: {
    code: 'SAT_H2_FLOOD',
    scope: 'connection',
    origin: 'remote',
    disposition: 'reject',
    doc: 'The peer sent far more of one kind of frame than any honest peer does; closed with ENHANCE_YOUR_CALM.',
  },
  REFUSED: {
    code: 'SAT_H2_REFUSED',
    scope: 'call',
    origin: 'remote',
    disposition: 'retry',
    doc: 'A stream was refused before anything was done with it; the call may be repeated.',
  },
  LOST: {
    code: 'SAT_H2_LOST',
    scope: 'connection',
    origin: 'remote',
    disposition: 'retry',
    doc: 'The connection ended while calls were open on it.',
  },
} as const satisfies Record<string, ErrorKind>;
