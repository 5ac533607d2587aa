/**
 * One pipe's run time: the whole data path between the gRPC server's calls and the channel's calls.
 * Above: the topology (app), which makes the plugins and composes pipes. Below: core's event, batch, ledger, wire.
 * Entry points: createPipe, the plugin contracts, senderSchema and windowOptions.
 * Invariants: received = delivered + dropped + held at any moment; a batch is settled once; nothing polls.
 * Spec: docs/life-of-a-message.md, docs/backpressure.md.
 */
export * from './config.js';
export type * from './contract.js';
export { RelayForwarder } from './relay-forwarder.js';
export { writeMessages } from './write-messages.js';
export { PIPE_METRICS } from './metrics.js';
export { Pipe, createPipe } from './pipe.js';
export type { PipeParts, PipeState } from './pipe.js';
