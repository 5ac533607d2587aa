/**
 * Names of the original Satellite. One that the catalogue lacks is "not yet here" instead of "unknown".
 * @source the original's plugin list and exporters.
 */
import type { PluginKind } from '../../core/plugin.js';

const NATIVE_DATA = [
  'log',
  'management',
  'tracing',
  'profile',
  'async-profiler',
  'cds',
  'event',
  'jvm',
  'clr',
  'meter',
  'process',
  'ebpf-profiling',
  'ebpf-accesslog',
];
const ENVOY_DATA = ['envoy-als-v2', 'envoy-als-v3', 'envoy-metrics-v2', 'envoy-metrics-v3'];

const ORIGINAL_PLUGINS: Readonly<Record<PluginKind, ReadonlySet<string>>> = {
  server: new Set(['grpc-server', 'http-server']),
  client: new Set(['grpc-client', 'kafka-client']),
  finder: new Set(['static', 'kubernetes']),
  receiver: new Set([
    ...NATIVE_DATA.map((data) => `grpc-native-${data}-receiver`),
    ...ENVOY_DATA.map((data) => `grpc-${data}-receiver`),
    'grpc-otlp-metrics-v1-receiver',
    'http-native-log-receiver',
  ]),
  queue: new Set(['memory-queue', 'mmap-queue', 'none-queue']),
  filter: new Set(),
  fallbacker: new Set(['none-fallbacker', 'timer-fallbacker']),
  forwarder: new Set([
    ...NATIVE_DATA.map((data) => `native-${data}-grpc-forwarder`),
    ...ENVOY_DATA.map((data) => `${data}-grpc-forwarder`),
    'otlp-metrics-v1-grpc-forwarder',
    'native-log-kafka-forwarder',
  ]),
};

/** True for a plugin (or finder) name of the original. */
export function isOriginalPlugin(kind: PluginKind, name: string): boolean {
  return ORIGINAL_PLUGINS[kind].has(name);
}

/** Exporters that run here. */
export const EXPORTERS: readonly string[] = ['prometheus', 'none'];

/** Exporters of the original that do not. */
export const EXPORTERS_NOT_YET: ReadonlySet<string> = new Set(['pprof', 'metrics_service']);

/** Options of the original whose feature is not here yet: every file of its users has them, so they are no typing error. */
export const OPTIONS_NOT_YET: Readonly<Record<string, readonly string[]>> = { 'grpc-client': ['kubernetes_config'] };
