/**
 * Role: the command line; from argv to an exit code.
 * Neighbours: app/config below; main.ts hands in what the commands do.
 * Entry points: runCli.
 * Invariants: returns instead of exiting; exit codes are those of exit-code.ts.
 * Spec: README, "Commands"; the original's flags and environment names for `start`.
 */
export * from './exit-code.js';
export * from './package-files.js';
export * from './run-cli.js';
