/**
 * HTTP/2 as a pure engine, both roles: bytes in, events and bytes out; no socket, no clock, no timer.
 * Below: net/hpack. Above: net/grpc (events, streams) and net/socket (bytes), which meet it through contract.ts.
 * Entry points: Http2Connection, DEFAULT_HTTP2_SETTINGS.
 * Invariants: `receive` never throws for what a peer sends; memory a peer can hold is bounded by our windows and guards.
 * Spec: RFC 9113.
 */
export { Http2Connection } from './connection.js';
export type { Http2Role } from './connection.js';
export { Http2Counters, type Http2CounterEvents } from './counters.js';
export { CONNECTION_LOST } from './contract.js';
export type {
  HeaderFields,
  Http2ConnectionEvents,
  Http2Host,
  Http2StreamEvents,
  Http2StreamHandle,
} from './contract.js';
export * from './errors.js';
export { CLIENT_PREFACE } from './frame.js';
export { DEFAULT_HTTP2_SETTINGS } from './settings.js';
export type { Http2Settings } from './settings.js';
