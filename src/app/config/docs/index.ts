/**
 * Role: writes the pages that derive from declarations: options, plugins, metrics, errors, and the JSON schema.
 * Neighbours: app/cli (`docs`); reads the catalogue, the sections' schemas and the shipped file's environment names.
 * Entry points: emitDocs, writeDocs, checkDocs.
 * Invariants: emitDocs is pure; every page says in its first line that it is generated.
 * Spec: CONTRIBUTING, "Generated pages".
 */
export * from './emit.js';
export * from './files.js';
