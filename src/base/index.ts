/**
 * The ground floor: bytes, rings, time, chance and errors. Knows no operating system and imports nothing of ours.
 * Entry points: Clock, Ring, TimerWheel, SatelliteError.
 */
export * from './backoff.js';
export * from './block-pool.js';
export * from './clock.js';
export * from './cursor.js';
export * from './decaying-sum.js';
export * from './error.js';
export * from './linked-list.js';
export * from './random.js';
export * from './ring.js';
export * from './simulated-clock.js';
export * from './timer-wheel.js';
export * from './writer.js';
