/** The access-log protocol as @grpc/grpc-js knows it: nothing of it is ours, so both ends judge us. */
import { loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import { repositoryUrl } from './repository.js';

export interface AccessLogMessage {
  readonly identifier?: {
    readonly node: { readonly id: string; readonly cluster?: string };
    readonly log_name: string;
  } | null;
  readonly http_logs?: { readonly log_entry: readonly { readonly request: { readonly path: string } }[] } | null;
  readonly tcp_logs?: { readonly log_entry: readonly { readonly common: Buffer }[] } | null;
}

interface Services {
  readonly envoy: {
    readonly service: {
      readonly accesslog: Readonly<Record<'v2' | 'v3', { readonly AccessLogService: ServiceClientConstructor }>>;
    };
  };
  readonly satellite: {
    readonly envoy: {
      readonly accesslog: { readonly v3: { readonly SatelliteAccessLogService: ServiceClientConstructor } };
    };
  };
}

const FOLDER = fileURLToPath(repositoryUrl('test/e2e/proto'));
const FILES = ['access-log.proto', 'access-log-v2.proto', 'access-log-satellite.proto'];

const services = loadPackageDefinition(
  loadSync(FILES, { includeDirs: [FOLDER], keepCase: true, defaults: false, arrays: true }),
) as unknown as Services;

/** What Envoys call, by version of their API. */
export const ENVOY_SERVICES = {
  v2: services.envoy.service.accesslog.v2.AccessLogService,
  v3: services.envoy.service.accesslog.v3.AccessLogService,
} as const;

/** What Satellite calls. */
export const SATELLITE_SERVICE = services.satellite.envoy.accesslog.v3.SatelliteAccessLogService;

/** A message as it goes over the wire, for streams that also carry what is none. */
export function encodeAccessLog(message: AccessLogMessage): Buffer {
  return SATELLITE_SERVICE.service.StreamAccessLogs!.requestSerialize(message);
}
