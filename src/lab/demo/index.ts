/**
 * The `demo` command: a whole installation on one machine, with a fleet that loads it and books that must balance.
 * Neighbours: `../process` for OAPs and fleet, the built program for the satellite; main.ts hands it to the CLI.
 * Entry points: `runDemoCommand` for the command line, `runDemo` for anyone else.
 * Invariants: loopback only, free ports only, bounded in time; nothing it started outlives it.
 * `SatelliteProcess` and the metrics reader serve the bench as well.
 */
export { DEMO_USAGE, parseDemoArguments, runDemoCommand } from './command.js';
export { runDemo } from './demo.js';
export { DEFAULT_DEMO_OPTIONS, type DemoIo, type DemoOptions } from './options.js';
export { readSatelliteMetrics, scrapeSatellite, type SatelliteMetrics } from './satellite-metrics.js';
export { SatelliteProcess } from './satellite-process.js';
