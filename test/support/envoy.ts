/**
 * A real Envoy whose access loggers stream to a given port: an HTTP listener that answers by itself, and a TCP listener
 * that passes connections on to a given upstream.
 */
import { componentPath } from './components.js';
import { scrape, sumOf, type Sample } from './exposition.js';
import { findFreePorts } from './ports.js';
import { Child } from './process.js';
import { writeTemporary } from './temporary.js';

const READY_WITHIN_MS = 20_000;
/** Envoy's flush timer of an access logger, its default. */
export const ENVOY_FLUSH_MS = 1_000;

export interface EnvoySettings {
  /** Where the access logs go. */
  readonly alsPort: number;
  /** `node.id`, the identity of its entries. */
  readonly nodeId: string;
  readonly concurrency: number;
  /** Where TCP connections are passed on to. */
  readonly upstreamPort: number;
}

export class Envoy {
  readonly httpPort: number;
  readonly tcpPort: number;
  private readonly adminPort: number;
  private readonly child: Child;

  private constructor(child: Child, ports: { http: number; tcp: number; admin: number }) {
    this.child = child;
    this.httpPort = ports.http;
    this.tcpPort = ports.tcp;
    this.adminPort = ports.admin;
  }

  static async start(settings: EnvoySettings): Promise<Envoy> {
    const [http, tcp, admin] = (await findFreePorts(3)) as [number, number, number];
    const ports = { http, tcp, admin };
    const config = writeTemporary('envoy.json', JSON.stringify(bootstrap(settings, ports)));
    const child = new Child({
      name: `envoy ${settings.nodeId}`,
      command: componentPath('envoy'),
      args: [
        '-c',
        config,
        '--concurrency',
        `${settings.concurrency}`,
        '--use-dynamic-base-id',
        '--log-level',
        'warning',
      ],
    });
    const envoy = new Envoy(child, ports);
    await child.waitReady(READY_WITHIN_MS, async () => {
      const answer = await fetch(`http://127.0.0.1:${admin}/ready`, { signal: AbortSignal.timeout(1_000) });
      return answer.ok;
    });
    return envoy;
  }

  /** Entries that Envoy counts as handed to its HTTP access loggers' streams, and those it gave up. */
  async readHttpEntries(): Promise<{ written: number; dropped: number }> {
    const samples = await this.readStats();
    return {
      written: sumOf(samples, 'envoy_access_logs_grpc_access_log_logs_written'),
      dropped: sumOf(samples, 'envoy_access_logs_grpc_access_log_logs_dropped'),
    };
  }

  readStats(): Promise<Sample[]> {
    return scrape(`http://127.0.0.1:${this.adminPort}/stats/prometheus`);
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }
}

/** @source Envoy's v3 API: config.bootstrap.v3.Bootstrap. */
function bootstrap(settings: EnvoySettings, ports: { http: number; tcp: number; admin: number }): unknown {
  return {
    node: {
      id: settings.nodeId,
      cluster: 'app.shop',
      metadata: { NAME: settings.nodeId, NAMESPACE: 'shop', LABELS: { app: 'app' } },
    },
    admin: { address: address(ports.admin) },
    static_resources: {
      listeners: [
        { name: 'http', address: address(ports.http), filter_chains: [{ filters: [httpFilter()] }] },
        { name: 'tcp', address: address(ports.tcp), filter_chains: [{ filters: [tcpFilter()] }] },
      ],
      clusters: [cluster('upstream', settings.upstreamPort), { ...cluster('als', settings.alsPort), ...overHttp2() }],
    },
  };
}

function httpFilter(): unknown {
  return typed(
    'envoy.filters.network.http_connection_manager',
    'filters.network.http_connection_manager.v3.HttpConnectionManager',
    {
      stat_prefix: 'http',
      access_log: [accessLog('http_grpc', 'HttpGrpcAccessLogConfig', 'http_envoy_accesslog')],
      route_config: {
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: [{ match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: 'ok' } } }],
          },
        ],
      },
      http_filters: [typed('envoy.filters.http.router', 'filters.http.router.v3.Router', {})],
    },
  );
}

function tcpFilter(): unknown {
  return typed('envoy.filters.network.tcp_proxy', 'filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: 'tcp',
    cluster: 'upstream',
    access_log: [accessLog('tcp_grpc', 'TcpGrpcAccessLogConfig', 'tcp_envoy_accesslog')],
  });
}

function accessLog(name: string, type: string, logName: string): unknown {
  return typed(`envoy.access_loggers.${name}`, `access_loggers.grpc.v3.${type}`, {
    common_config: {
      log_name: logName,
      transport_api_version: 'V3',
      grpc_service: { envoy_grpc: { cluster_name: 'als' } },
    },
  });
}

function cluster(name: string, port: number): Record<string, unknown> {
  const endpoint = { endpoint: { address: address(port) } };
  return {
    name,
    connect_timeout: '1s',
    type: 'STATIC',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint] }] },
  };
}

function overHttp2(): Record<string, unknown> {
  const name = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  return {
    typed_extension_protocol_options: {
      [name]: {
        '@type': `type.googleapis.com/${name}`,
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
  };
}

function typed(name: string, type: string, config: Record<string, unknown>): unknown {
  return { name, typed_config: { '@type': `type.googleapis.com/envoy.extensions.${type}`, ...config } };
}

function address(port: number): unknown {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
