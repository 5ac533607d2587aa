/** Names and sizes of the frame layer. @source RFC 9113 §4.1, §6. */

/** Bytes of a frame header. */
export const FRAME_HEADER_BYTES = 9;

export const FRAME_DATA = 0x0;
export const FRAME_HEADERS = 0x1;
export const FRAME_PRIORITY = 0x2;
export const FRAME_RST_STREAM = 0x3;
export const FRAME_SETTINGS = 0x4;
export const FRAME_PUSH_PROMISE = 0x5;
export const FRAME_PING = 0x6;
export const FRAME_GOAWAY = 0x7;
export const FRAME_WINDOW_UPDATE = 0x8;
export const FRAME_CONTINUATION = 0x9;

export const FLAG_ACK = 0x1;
export const FLAG_END_STREAM = 0x1;
export const FLAG_END_HEADERS = 0x4;
export const FLAG_PADDED = 0x8;
export const FLAG_PRIORITY = 0x20;

/** Largest stream id, window and increment: 31 bits. */
export const MAX_U31 = 0x7fffffff;

/** What a client sends first. @source RFC 9113 §3.4. */
export const CLIENT_PREFACE: Uint8Array = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Reads 32 bits, big-endian. */
export function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
