/** Method paths a fake OAP serves. */
import { ALS_PATHS } from '../fleet/http2-bytes.js';

export const OAP_ALS_PATHS: readonly string[] = [
  '/satellite.envoy.accesslog.v3.SatelliteAccessLogService/StreamAccessLogs',
  ALS_PATHS.v3,
  ALS_PATHS.v2,
];

/** SkyWalking's own; the names without a package are what agents before 8.0 call. */
export const OAP_SKYWALKING_PATHS: readonly string[] = [
  '/skywalking.v3.LogReportService/collect',
  '/skywalking.v3.ManagementService/reportInstanceProperties',
  '/skywalking.v3.ManagementService/keepAlive',
  '/ManagementService/reportInstanceProperties',
  '/ManagementService/keepAlive',
];
