/**
 * Role: from the user's file and environment to one frozen SatelliteConfig, or to every problem with its place.
 * Neighbours: app/cli calls it; core/options and the plugins' schemas say what options there are.
 * Entry points: loadConfig, decodeConfig, Catalogue, formatProblem, emitDocs.
 * Invariants: nothing outside reads an incomplete configuration; secrets never reach a problem or a dump.
 * Spec: docs/config/index.md (generated); the original's rules of substitution and weak types.
 */
export * from './catalogue.js';
export * from './config.js';
export * from './errors.js';
export * from './load.js';
export type { Environment } from './placeholder.js';
export * from './problem.js';
