/** Envoy with one worker, HTTP/2 on both sides. */
import type { ProxyProgram } from './proxy.js';

export const ENVOY: ProxyProgram = {
  component: 'envoy',
  file: 'envoy.json',
  arguments: (file) => ['-c', file, '--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'],
  configuration: (port, oapPorts) => JSON.stringify(bootstrap(port, oapPorts)),
};

function bootstrap(port: number, oapPorts: readonly number[]): object {
  const http2 = { explicit_http_config: { http2_protocol_options: {} } };
  return {
    static_resources: {
      listeners: [
        {
          name: 'als',
          address: socketAddress(port),
          filter_chains: [
            {
              filters: [
                {
                  name: 'envoy.filters.network.http_connection_manager',
                  typed_config: {
                    '@type':
                      'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                    stat_prefix: 'als',
                    codec_type: 'HTTP2',
                    stream_idle_timeout: '0s',
                    route_config: {
                      virtual_hosts: [
                        {
                          name: 'all',
                          domains: ['*'],
                          routes: [{ match: { prefix: '/' }, route: { cluster: 'oap', timeout: '0s' } }],
                        },
                      ],
                    },
                    http_filters: [
                      {
                        name: 'envoy.filters.http.router',
                        typed_config: {
                          '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
                        },
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'oap',
          type: 'STATIC',
          lb_policy: 'LEAST_REQUEST',
          connect_timeout: '1s',
          circuit_breakers: { thresholds: [{ max_requests: 100_000, max_pending_requests: 100_000 }] },
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              ...http2,
            },
          },
          load_assignment: {
            cluster_name: 'oap',
            endpoints: [
              { lb_endpoints: oapPorts.map((oapPort) => ({ endpoint: { address: socketAddress(oapPort) } })) },
            ],
          },
        },
      ],
    },
  };
}

function socketAddress(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
