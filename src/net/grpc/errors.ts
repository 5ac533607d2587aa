/** Error kinds of the gRPC layer. */
import type { ErrorKind } from '../../base/index.js';

export const CALL_FAILED: ErrorKind = {
  code: 'SAT_GRPC_STATUS',
  scope: 'call',
  origin: 'remote',
  disposition: 'reject',
  doc: 'A call ended with the gRPC status that the error carries. The status decides whether it is tried again.',
};

export const DUPLICATE_METHOD: ErrorKind = {
  code: 'SAT_PLG_DUPLICATE_METHOD',
  scope: 'process',
  origin: 'user',
  disposition: 'fatal',
  doc: 'Two receivers serve the same gRPC method on one server. Remove one of them or give it a server of its own.',
};
