/**
 * gRPC over HTTP/2, both roles, pure: messages, metadata, deadlines, statuses, server and client calls.
 * Below: net/http2 (streams). Above: net/socket (brings connections), receivers, forwarders, core/balance.
 * Entry points: GrpcServer, GrpcClientConnection, unaryMethod, callUnary; contract.ts is what most others need.
 * Invariants: messages are never joined or copied on their way; one call's failure touches that call only.
 * Spec: gRPC PROTOCOL-HTTP2.md, statuscodes.md, compression.md.
 */
export type * from './contract.js';
export type { CallEnvironment } from './call-environment.js';
export { localStatus } from './client-call.js';
export { GrpcClientConnection, type ClientEngine, type ClientTransport } from './client-connection.js';
export * from './errors.js';
export { HealthService } from './health.js';
export { binaryFieldsOf, customMetadataOf, encodeBinaryValue, fieldOf, passedFieldsOf } from './metadata.js';
export { ReassemblyMeter } from './reassembly-meter.js';
export { registerReflection } from './reflection.js';
export { GrpcServer, ServedConnection, type GrpcServerCounters, type GrpcServerSettings } from './server.js';
export { takeBytes } from './sliced-message.js';
export { GRPC_STATUS, statusName } from './status.js';
export { statusOfHttp, statusOfReset } from './status-map.js';
export * from './unary.js';
