import type { ErrorKind } from '../../base/index.js';

/** An address option that is not `:port`, `host:port` or `[v6]:port`. */
export const TELEMETRY_ADDRESS: ErrorKind = {
  code: 'SAT_TEL_ADDRESS',
  scope: 'process',
  origin: 'user',
  disposition: 'fatal',
  doc: 'A telemetry address cannot be read. Write `:1234`, `host:1234` or `[::1]:1234`.',
};

/** The telemetry port cannot be bound. */
export const TELEMETRY_LISTEN: ErrorKind = {
  code: 'SAT_TEL_LISTEN',
  scope: 'process',
  origin: 'system',
  disposition: 'fatal',
  doc: 'The telemetry server cannot listen on its address, most often because the port is in use. Choose another `telemetry.prometheus.address`.',
};

/** Every error of this layer, for docs/errors.md. */
export const TELEMETRY_ERRORS: readonly ErrorKind[] = [TELEMETRY_ADDRESS, TELEMETRY_LISTEN];
