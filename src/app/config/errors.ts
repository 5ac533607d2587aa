import type { ErrorKind } from '../../base/index.js';

function configError(name: string, doc: string): ErrorKind {
  return { code: `SAT_CFG_${name}`, scope: 'process', origin: 'user', disposition: 'fatal', doc };
}

/** What can be wrong with a configuration. All problems of a file are listed together, then the process exits with 78. */
export const CONFIG_ERRORS = {
  unreadable: configError('UNREADABLE', 'The configuration file is absent or cannot be read.'),
  syntax: configError('SYNTAX', 'The file is not valid YAML.'),
  placeholder: configError('PLACEHOLDER', 'A `${NAME:default}` placeholder is not written correctly.'),
  missing: configError('MISSING', 'A section or key that has no default is absent.'),
  value: configError('VALUE', 'A value has the wrong type or lies outside its bounds.'),
  unknownKey: configError('UNKNOWN_KEY', 'A key nobody reads: a warning at start, an error under `validate`.'),
  unknownPlugin: configError('UNKNOWN_PLUGIN', 'A `plugin_name` or exporter that does not exist.'),
  notYet: configError(
    'NOT_YET',
    'A name of the original Satellite that this version does not have yet. An exporter is left out with a warning; for any other the process does not start.',
  ),
  reference: configError('REFERENCE', 'A `server_name` or `client_name` that no shared plugin carries.'),
  duplicate: configError('DUPLICATE', 'Two pipes, shared plugins or receivers that exclude each other.'),
  mismatch: configError('MISMATCH', 'A receiver and a forwarder of one pipe carry different data types.'),
  portClash: configError('PORT_CLASH', 'Two listeners on the same address.'),
  loop: configError(
    'LOOP',
    'A client that sends to a server of the same process: what it forwards comes back. A warning.',
  ),
} as const satisfies Record<string, ErrorKind>;
