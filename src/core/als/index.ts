/**
 * What the plugins of Envoy's access-log service share: v2 and v3 differ by method path only.
 * Above: the receiver and forwarder plugins. Below: core/pipe and core/wire.
 * Entry points: AlsReceiver, AlsForwarder, alsReceiverSchema.
 * Invariants: every event has the identity of one stream; entries pass unread.
 * Spec: Envoy's envoy.service.accesslog; the backend's SatelliteAccessLogService.
 */
export * from './forwarder.js';
export * from './metrics.js';
export * from './receiver.js';
