/**
 * The laboratory: what stands on both sides of a satellite in tests, demo and bench.
 * Neighbours: everything below may be used here; the product never imports the lab (main.ts injects the demo command).
 * Entry points: `startFleet`, `startFakeOap`, `compareBooks`; `RemoteOap` and `RemoteFleet` for processes of their own.
 * Invariants: all load is bounded; what is counted as sent was written, what is booked was answered OK.
 */
export * from './compare-books.js';
export * from './faults/index.js';
export * from './fleet/index.js';
export * from './latency-histogram.js';
export * from './oap/index.js';
export * from './process/index.js';
