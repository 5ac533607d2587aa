/** A file as users of the original have it: all its pipes and exporters, in the shape of the one it ships. */

/** Pipe name and the data part of its plugins' names. */
const NATIVE_PIPES: readonly (readonly [string, string])[] = [
  ['logpipe', 'log'],
  ['managementpipe', 'management'],
  ['tracingpipe', 'tracing'],
  ['profilepipe', 'profile'],
  ['asyncprofilerpipe', 'async-profiler'],
  ['cdspipe', 'cds'],
  ['eventpipe', 'event'],
  ['jvmpipe', 'jvm'],
  ['clrpipe', 'clr'],
  ['meterpipe', 'meter'],
  ['processpipe', 'process'],
  ['ebpf-profilingpipe', 'ebpf-profiling'],
  ['ebpf-accesslog-pipe', 'ebpf-accesslog'],
];
const ENVOY_PIPES: readonly string[] = ['envoy-als-v2', 'envoy-als-v3', 'envoy-metrics-v2', 'envoy-metrics-v3'];

function pipe(name: string, receiver: string, forwarder: string, receiverOptions = ''): string {
  return `  - common_config:
      pipe_name: ${name}
    gatherer:
      server_name: "grpc-server"
      receiver:
        plugin_name: "${receiver}"
${receiverOptions}      queue:
        plugin_name: "memory-queue"
        # The maximum buffer event size.
        event_buffer_size: \${SATELLITE_QUEUE_EVENT_BUFFER_SIZE:5000}
        # The partition count of queue.
        partition: \${SATELLITE_QUEUE_PARTITION:4}
    processor:
      filters:
    sender:
      fallbacker:
        plugin_name: none-fallbacker
      flush_time: \${SATELLITE_SENDER_FLUSH_TIME:1000}
      max_buffer_size: \${SATELLITE_SENDER_MAX_BUFFER_SIZE:200}
      min_flush_events: \${SATELLITE_SENDER_MIN_FLUSH_EVENTS:1}
      client_name: grpc-client
      forwarders:
        - plugin_name: ${forwarder}
`;
}

const WINDOW = `        flush_time: \${SATELLITE_RECEIVER_FLUSH_TIME:1000}
        limit_count: \${SATELLITE_RECEIVER_LIMIT_COUNT:500}
`;

export const ORIGINAL_FILE = `logger:
  log_pattern: \${SATELLITE_LOGGER_LOG_PATTERN:%time [%level][%field] - %msg}
  level: \${SATELLITE_LOGGER_LEVEL:"info"}
telemetry:
  cluster: \${SATELLITE_TELEMETRY_CLUSTER:satellite-cluster}
  export_type: \${SATELLITE_TELEMETRY_EXPORT_TYPE:prometheus,pprof}
  pprof:
    address: \${SATELLITE_TELEMETRY_PPROF_ADDRESS::6060}
sharing:
  clients:
    - plugin_name: grpc-client
      finder_type: \${SATELLITE_GRPC_CLIENT_FINDER:static}
      server_addr: \${SATELLITE_GRPC_CLIENT:oap:11800}
      kubernetes_config:
        api_server: \${SATELLITE_GRPC_CLIENT_KUBERNETES_API_SERVER:}
        namespaces:
          - \${SATELLITE_GRPC_CLIENT_KUBERNETES_NAMESPACE:default}
  servers:
    - plugin_name: grpc-server
      address: \${SATELLITE_GRPC_ADDRESS:":11800"}
pipes:
${NATIVE_PIPES.map(([name, data]) => pipe(name, `grpc-native-${data}-receiver`, `native-${data}-grpc-forwarder`)).join('')}${ENVOY_PIPES.map((name) => pipe(name, `grpc-${name}-receiver`, `${name}-grpc-forwarder`, WINDOW)).join('')}${pipe('otlp-metrics-v1-pipe', 'grpc-otlp-metrics-v1-receiver', 'otlp-metrics-v1-grpc-forwarder')}`;
