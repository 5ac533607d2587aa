/**
 * Method paths, as they stand on the wire. Native services are also known without their package, as old agents call them;
 * what we send always carries it. The order of a forwarder's paths is the method index of its events and relays.
 */

/** Incoming paths of one method; the first is the one under which it is forwarded, unless a table says otherwise. */
export type MethodNames = readonly [string, ...string[]];

function nativeNames(service: string, method: string): MethodNames {
  return [`/skywalking.v3.${service}/${method}`, `/${service}/${method}`];
}

export const ALS_V2_PATH = '/envoy.service.accesslog.v2.AccessLogService/StreamAccessLogs';
export const ALS_V3_PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
/** Where both versions go: the backend's service that lets a message's identifier change the current node. */
export const ALS_FORWARD_PATHS: readonly string[] = [
  '/satellite.envoy.accesslog.v3.SatelliteAccessLogService/StreamAccessLogs',
];

export const LOG_COLLECT_PATH = '/skywalking.v3.LogReportService/collect';
export const LOG_FORWARD_PATHS: readonly string[] = [LOG_COLLECT_PATH];

/** Unary calls that every agent makes; answered by the backend. */
export const MANAGEMENT_METHODS: readonly MethodNames[] = [
  nativeNames('ManagementService', 'reportInstanceProperties'),
  nativeNames('ManagementService', 'keepAlive'),
];
export const MANAGEMENT_FORWARD_PATHS: readonly string[] = MANAGEMENT_METHODS.map((names) => names[0]);
