/**
 * The fault kit: what goes wrong between a satellite and its OAPs, on purpose and at a chosen moment.
 * Neighbours: fake OAPs stall, slow down, refuse and forget by their own options (`../oap`); processes are killed and
 * stopped by signals to `RemoteOap.pid`. Here is the rest: the network between, and peers that break the protocol.
 * Entry points: `startFaultyNetwork`, `startRogueOap`.
 * Invariants: a rogue accepts nothing, so whatever it was given must have come elsewhere; nothing polls.
 */
export * from './faulty-network.js';
export * from './rogue-oap.js';
