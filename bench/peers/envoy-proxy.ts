/** A real Envoy as a plain HTTP/2 proxy: what the best of C++ needs to move the same calls, without merging or books. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.js';
import { findFreePorts } from '../../src/lab/demo/free-ports.js';
import { componentPath } from '../../test/support/components.js';
import type { Middle } from '../middles.js';

const READY_TIMEOUT_MS = 10_000;
const READY_STEP_MS = 50;

export async function startEnvoyProxy(oapPorts: readonly number[]): Promise<Middle> {
  const [port = 0] = await findFreePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'satellite-bench-'));
  const file = join(folder, 'envoy.json');
  writeFileSync(file, JSON.stringify(bootstrap(port, oapPorts)));
  // One worker: as many as the product has.
  const child = spawn(
    componentPath('envoy'),
    ['-c', file, '--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const killWithUs = (): void => {
    child.kill('SIGKILL');
  };
  process.on('exit', killWithUs);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', killWithUs);
      rmSync(folder, { recursive: true, force: true });
      resolve();
    });
  });
  const stop = (): Promise<void> => {
    child.kill('SIGKILL');
    return exited;
  };
  const giveUpMs = systemClock.now() + READY_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (systemClock.now() > giveUpMs || child.exitCode !== null) {
      await stop();
      throw new Error('Envoy did not start');
    }
    await new Promise<void>((resolve) => {
      systemClock.setTimer(READY_STEP_MS, resolve);
    });
  }
  return { pid: child.pid ?? 0, port, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}

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
