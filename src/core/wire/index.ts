/**
 * The protocols on the data path, as far as routing needs them: method paths, field numbers, and readers that scan.
 * Above: core/pipe and the plugins. Below: base, and the message type of net/grpc.
 * Entry points: AlsReader, LogReader, the path tables.
 * Invariants: nothing is decoded or re-encoded; what is not known passes; malformed framing is refused, never thrown.
 * Spec: Envoy's accesslog service and SkyWalking's collect protocol, read by field number.
 */
export * from './als.js';
export * from './log.js';
export * from './methods.js';
export * from './payload.js';
export * from './reader.js';
export * from './scanner.js';
export { readIdentifier } from './identifier.js';
