/**
 * The lab's parts in processes of their own, for demo and bench: what is measured must not share a process with its load.
 * Neighbours: `../oap` and `../fleet`, which a worker hosts one of; `fork`'s channel carries the calls.
 * Entry points: `RemoteOap`, `RemoteFleet`.
 * Invariants: a worker never outlives its parent; every call is answered or rejected.
 */
export * from './remote.js';
