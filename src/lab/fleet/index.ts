/**
 * A simulated fleet of Envoys that stream access logs. It stands where real sidecars would, in tests, demo and bench.
 * Neighbours: node sockets below (its own minimal HTTP/2 client: cheap, and independent of the transport it exercises).
 * Entry point: `startFleet`. Every entry carries a number plate (`../entry-id.ts`) that the fake OAP reads.
 * Invariants: bounded in time, entries and memory; flow control of the peer is obeyed; what was counted was written.
 * Facts imitated: Envoy 1.40's streams, flushes, sizes and reconnects.
 */
export * from './fleet.js';
export * from './options.js';
