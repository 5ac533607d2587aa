/** The few HTTP/2 bytes an Envoy's access logger says, as constants and small encoders (RFC 9113, RFC 7541). */

export const FRAME_HEADER_BYTES = 9;
/** Envoy sends DATA frames of the default SETTINGS_MAX_FRAME_SIZE. */
export const MAX_FRAME_BYTES = 16_384;
export const DEFAULT_WINDOW_BYTES = 65_535;

export const FRAME_DATA = 0;
export const FRAME_HEADERS = 1;
export const FRAME_RST_STREAM = 3;
export const FRAME_SETTINGS = 4;
export const FRAME_PING = 6;
export const FRAME_GOAWAY = 7;
export const FRAME_WINDOW_UPDATE = 8;

export const FLAG_END_STREAM = 1;
export const FLAG_ACK = 1;
export const FLAG_END_HEADERS = 4;

export const SETTING_INITIAL_WINDOW_SIZE = 4;
export const SETTING_MAX_CONCURRENT_STREAMS = 3;
export const ERROR_INTERNAL = 2;
export const ERROR_CANCEL = 8;

export const ALS_PATHS = {
  v2: '/envoy.service.accesslog.v2.AccessLogService/StreamAccessLogs',
  v3: '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs',
} as const;

/** Envoy's own connection window beyond the default. */
const ENVOY_WINDOW_BYTES = 24 * 1024 * 1024;

/** What Envoy 1.40 writes first on a connection: preface, SETTINGS, a larger connection window. */
export function encodeConnectionStart(): Buffer {
  const settings = Buffer.alloc(5 * 6);
  const values: readonly (readonly [number, number])[] = [
    [2, 0],
    [1, 4096],
    [8, 0],
    [SETTING_MAX_CONCURRENT_STREAMS, 1024],
    [SETTING_INITIAL_WINDOW_SIZE, 16 * 1024 * 1024],
  ];
  values.forEach(([id, value], index) => {
    settings.writeUInt16BE(id, index * 6);
    settings.writeUInt32BE(value, index * 6 + 2);
  });
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
    encodeFrame(FRAME_SETTINGS, 0, 0, settings),
    encodeWindowUpdate(0, ENVOY_WINDOW_BYTES),
  ]);
}

/** Request headers of one access-log stream, in Envoy's order, as literals without indexing. */
export function encodeRequestHeaders(streamId: number, version: 'v2' | 'v3', peer: string): Buffer {
  const fields: readonly (readonly [string, string])[] = [
    [':method', 'POST'],
    [':path', ALS_PATHS[version]],
    [':authority', 'als'],
    [':scheme', 'http'],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ['x-envoy-internal', 'true'],
    ['x-forwarded-for', peer],
  ];
  const block: number[] = [];
  for (const [name, value] of fields) {
    block.push(0, name.length, ...Buffer.from(name, 'latin1'), value.length, ...Buffer.from(value, 'latin1'));
  }
  return encodeFrame(FRAME_HEADERS, FLAG_END_HEADERS, streamId, Buffer.from(block));
}

export function encodeFrame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(frame, 0, payload.length, type, flags, streamId);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

export function encodeWindowUpdate(streamId: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return encodeFrame(FRAME_WINDOW_UPDATE, 0, streamId, payload);
}

export function encodeReset(streamId: number, errorCode: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(errorCode);
  return encodeFrame(FRAME_RST_STREAM, 0, streamId, payload);
}

/** @shape 9 bytes: length u24 | type u8 | flags u8 | stream id u31 (RFC 9113 §4.1). */
export function writeFrameHeader(
  out: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  streamId: number,
): void {
  out.writeUIntBE(length, at, 3);
  out[at + 3] = type;
  out[at + 4] = flags;
  out.writeUInt32BE(streamId, at + 5);
}
