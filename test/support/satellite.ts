/** The built program as a user starts it: `bin/satellite start -c FILE`, in a process of its own. */
import { fileURLToPath } from 'node:url';
import { scrape, sumOf, type Sample } from './exposition.js';
import { accepts, findFreePorts } from './ports.js';
import { Child, type ChildExit } from './process.js';
import { repositoryUrl } from './repository.js';
import { writeTemporary } from './temporary.js';

const PROGRAM = fileURLToPath(repositoryUrl('bin/satellite'));
const READY_WITHIN_MS = 15_000;

export interface SatellitePorts {
  readonly grpc: number;
  readonly metrics: number;
}

export interface SatelliteSettings {
  /** The configuration file's text. */
  readonly config: (ports: SatellitePorts) => string;
  readonly env?: (ports: SatellitePorts) => Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** A pipe's books in entries. */
export interface EntryBooks {
  readonly received: number;
  readonly delivered: number;
  readonly dropped: number;
  readonly held: number;
}

export class Satellite {
  readonly grpcPort: number;
  readonly metricsUrl: string;
  readonly child: Child;

  private constructor(child: Child, ports: SatellitePorts) {
    this.child = child;
    this.grpcPort = ports.grpc;
    this.metricsUrl = `http://127.0.0.1:${ports.metrics}/metrics`;
  }

  /** Resolves when both ports accept. */
  static async start(settings: SatelliteSettings): Promise<Satellite> {
    const [grpc, metrics] = (await findFreePorts(2)) as [number, number];
    const ports = { grpc, metrics };
    const path = writeTemporary('satellite_config.yaml', settings.config(ports));
    const child = runSatellite(['start', '-c', path, ...(settings.args ?? [])], settings.env?.(ports));
    const satellite = new Satellite(child, ports);
    await child.waitReady(READY_WITHIN_MS, async () => (await accepts(grpc)) && (await accepts(metrics)));
    return satellite;
  }

  scrape(): Promise<Sample[]> {
    return scrape(this.metricsUrl);
  }

  async readBooks(pipe: string): Promise<EntryBooks> {
    const samples = await this.scrape();
    const labels = { pipe, unit: 'entries' };
    return {
      received: sumOf(samples, 'ledger_received_count', labels),
      delivered: sumOf(samples, 'ledger_delivered_count', labels),
      dropped: sumOf(samples, 'ledger_dropped_count', labels),
      held: sumOf(samples, 'ledger_held', labels),
    };
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ChildExit> {
    return this.child.stop(signal);
  }
}

/** Runs the program with any arguments; the environment's own SATELLITE_* variables do not reach it. */
export function runSatellite(args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  const inherited = Object.keys(process.env).filter((name) => name.toUpperCase().startsWith('SATELLITE_'));
  const cleared = Object.fromEntries(inherited.map((name) => [name, undefined]));
  return new Child({ name: 'satellite', command: PROGRAM, args, env: { ...cleared, ...env } });
}

export interface AlsConfigSettings {
  /** `host:port` of each OAP. */
  readonly oaps: readonly string[];
  readonly serverOptions?: Readonly<Record<string, string | number>>;
  readonly clientOptions?: Readonly<Record<string, string | number>>;
  readonly receiverOptions?: Readonly<Record<string, string | number>>;
  readonly senderOptions?: Readonly<Record<string, string | number>>;
  /** memory-queue when absent. */
  readonly queue?: string;
  readonly queueOptions?: Readonly<Record<string, string | number>>;
}

/** A configuration with the two pipes for access logs, v2 and v3, as `envoy-als-v2` and `envoy-als-v3`. */
export function writeAlsConfig(settings: AlsConfigSettings): (ports: SatellitePorts) => string {
  return (ports) => `
logger:
  level: info
telemetry:
  export_type: prometheus
  prometheus: { address: "127.0.0.1:${ports.metrics}", endpoint: /metrics }
sharing:
  clients:
    - plugin_name: grpc-client
      finder_type: static
      server_addr: "${settings.oaps.join(',')}"${options(6, settings.clientOptions)}
  servers:
    - plugin_name: grpc-server
      address: "127.0.0.1:${ports.grpc}"${options(6, settings.serverOptions)}
pipes:
${['v2', 'v3'].map((version) => alsPipe(version, settings)).join('')}`;
}

function alsPipe(version: string, settings: AlsConfigSettings): string {
  return `
  - common_config: { pipe_name: envoy-als-${version} }
    gatherer:
      server_name: grpc-server
      receiver:
        plugin_name: grpc-envoy-als-${version}-receiver${options(8, settings.receiverOptions)}
      queue:
        plugin_name: ${settings.queue ?? 'memory-queue'}${options(8, settings.queueOptions)}
    processor:
      filters:
    sender:
      fallbacker: { plugin_name: none-fallbacker }
      client_name: grpc-client${options(6, settings.senderOptions)}
      forwarders:
        - plugin_name: envoy-als-${version}-grpc-forwarder
`;
}

function options(indent: number, values: Readonly<Record<string, string | number>> = {}): string {
  return Object.entries(values)
    .map(([key, value]) => `\n${' '.repeat(indent)}${key}: ${value}`)
    .join('');
}
