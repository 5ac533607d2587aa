/** What the two sides announce to each other. @source RFC 9113 §6.5.2. */
import { MAX_U31, readU32 } from './frame.js';
import { H2_FLOW_CONTROL_ERROR, H2_NO_ERROR, H2_PROTOCOL_ERROR } from './errors.js';

const HEADER_TABLE_SIZE = 0x1;
const ENABLE_PUSH = 0x2;
const MAX_CONCURRENT_STREAMS = 0x3;
const INITIAL_WINDOW_SIZE = 0x4;
const MAX_FRAME_SIZE = 0x5;
const MAX_HEADER_LIST_SIZE = 0x6;

/** Bytes of one parameter. */
export const SETTING_BYTES = 6;

/** What holds before any SETTINGS came into force. */
export const PROTOCOL_TABLE_BYTES = 4096;
export const PROTOCOL_WINDOW_BYTES = 65535;
export const PROTOCOL_FRAME_BYTES = 16384;
const LARGEST_FRAME_BYTES = 16777215;

/** Our side's settings. */
export interface Http2Settings {
  /** Receive window of a stream. */
  readonly streamWindowBytes: number;
  /** Receive window of the connection; never below the protocol's 65535. */
  readonly connectionWindowBytes: number;
  /** Largest frame payload we accept, 16384 to 16777215. */
  readonly maxFrameBytes: number;
  /** Streams the peer may have open (server role). */
  readonly maxConcurrentStreams: number;
  /** Bound of one header list: names, values and 32 a field. */
  readonly maxHeaderListBytes: number;
  /** HPACK table the peer may use towards us. */
  readonly headerTableBytes: number;
}

export const DEFAULT_HTTP2_SETTINGS: Http2Settings = Object.freeze({
  // 1 MiB a stream, 16 MiB a connection: a message of the usual kind never waits for credit on a 10 ms path, while what
  // one peer can make us hold stays small beside the budget.
  streamWindowBytes: 1 << 20,
  connectionWindowBytes: 16 << 20,
  // The protocol's least: frames are not buffered, so larger ones would gain nothing.
  maxFrameBytes: PROTOCOL_FRAME_BYTES,
  maxConcurrentStreams: 1024,
  // Requests of agents carry some 300 bytes; tokens and mesh headers reach a few KiB.
  maxHeaderListBytes: 64 << 10,
  headerTableBytes: PROTOCOL_TABLE_BYTES,
});

/** The peer's side, with the protocol's initial values. */
export class PeerSettings {
  headerTableBytes = PROTOCOL_TABLE_BYTES;
  maxConcurrentStreams = Infinity;
  streamWindowBytes = PROTOCOL_WINDOW_BYTES;
  maxFrameBytes = PROTOCOL_FRAME_BYTES;

  /**
   * Applies a SETTINGS payload in order; unknown parameters are ignored.
   * @returns H2_NO_ERROR, or the code of the connection error. MAX_HEADER_LIST_SIZE is advice, and ours are small.
   */
  apply(bytes: Uint8Array, start: number, end: number, isServer: boolean): number {
    for (let at = start; at < end; at += SETTING_BYTES) {
      const id = (bytes[at]! << 8) | bytes[at + 1]!;
      const value = readU32(bytes, at + 2);
      switch (id) {
        case HEADER_TABLE_SIZE:
          this.headerTableBytes = value;
          break;
        case ENABLE_PUSH:
          // A server must not offer push at all; a client says 0 or 1, and we never push.
          if (value > 1 || (!isServer && value !== 0)) return H2_PROTOCOL_ERROR;
          break;
        case MAX_CONCURRENT_STREAMS:
          this.maxConcurrentStreams = value;
          break;
        case INITIAL_WINDOW_SIZE:
          if (value > MAX_U31) return H2_FLOW_CONTROL_ERROR;
          this.streamWindowBytes = value;
          break;
        case MAX_FRAME_SIZE:
          if (value < PROTOCOL_FRAME_BYTES || value > LARGEST_FRAME_BYTES) return H2_PROTOCOL_ERROR;
          this.maxFrameBytes = value;
          break;
        default:
      }
    }
    return H2_NO_ERROR;
  }
}

/** The SETTINGS payload that announces ours; parameters at their protocol value are left out. */
export function encodeSettings(settings: Http2Settings, isServer: boolean): Uint8Array {
  const rows: number[] = [];
  if (settings.headerTableBytes !== PROTOCOL_TABLE_BYTES) rows.push(HEADER_TABLE_SIZE, settings.headerTableBytes);
  if (isServer) rows.push(MAX_CONCURRENT_STREAMS, settings.maxConcurrentStreams);
  else rows.push(ENABLE_PUSH, 0);
  if (settings.streamWindowBytes !== PROTOCOL_WINDOW_BYTES) rows.push(INITIAL_WINDOW_SIZE, settings.streamWindowBytes);
  if (settings.maxFrameBytes !== PROTOCOL_FRAME_BYTES) rows.push(MAX_FRAME_SIZE, settings.maxFrameBytes);
  rows.push(MAX_HEADER_LIST_SIZE, settings.maxHeaderListBytes);
  const payload = Buffer.alloc((rows.length / 2) * SETTING_BYTES);
  for (let index = 0; index < rows.length; index += 2) {
    const at = (index / 2) * SETTING_BYTES;
    payload.writeUInt16BE(rows[index]!, at);
    payload.writeUInt32BE(rows[index + 1]!, at + 2);
  }
  return payload;
}
