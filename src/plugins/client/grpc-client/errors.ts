import type { ErrorKind } from '../../../base/index.js';

export const GRPC_CLIENT_ERRORS = {
  tlsFile: {
    code: 'SAT_PLG_TLS_FILE',
    scope: 'process',
    origin: 'user',
    disposition: 'fatal',
    doc: 'A file named for TLS with the backends cannot be used. The message names the option, the file and what is wrong with it.',
  },
} as const satisfies Record<string, ErrorKind>;
