/**
 * Sockets: the only user of node:net and node:tls. Listens, dials, and binds sockets to HTTP/2 engines.
 * Below: net/grpc and net/http2, which are pure. Above: the grpc-server and grpc-client plugins, core/balance, lab.
 * Entry points: listen, createDial, parseAddress.
 * Invariants: reads are handled in the turn they come in; the output of a turn leaves as one write.
 * Spec: RFC 9113 §3, §6.8; gRPC keepalive.md.
 */
export * from './address.js';
export type * from './contract.js';
export { isDeadSocket } from './dead-socket.js';
export { createDial, type DialerSettings } from './dialer.js';
export { NET_ERRORS } from './errors.js';
export { listen } from './listener.js';
export { connectionError, listenError, listenFault } from './node-error.js';
export { TlsFollower, type TlsFollowerSettings } from './tls-follower.js';
export { certificateExpiryMs, checkTlsMaterial, fileFault, type TlsMaterial } from './tls-material.js';
