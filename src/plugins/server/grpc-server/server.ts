/** The gRPC server as a plugin: options to settings, limits, books and log lines around net/socket's listener. */
import { TimerWheel, type SatelliteError } from '../../../base/index.js';
import type { Counter } from '../../../core/telemetry.js';
import type { ProcessSettings, ServerPlugin } from '../../../core/plugin.js';
import type { MethodRegistry, Peer } from '../../../net/grpc/contract.js';
import { GrpcServer, HealthService, ReassemblyMeter, registerReflection } from '../../../net/grpc/index.js';
import {
  formatPeer,
  listen,
  parseAddress,
  type Listener,
  type ListenerEvents,
  type SocketAddress,
} from '../../../net/socket/index.js';
import type { GrpcServerConfig } from './config.js';
import { CpuMeter, readQuotaCores, usableCores } from './cpu-meter.js';
import { GRPC_SERVER_METRICS as METRICS } from './metrics.js';
import { readTlsFiles } from './tls-files.js';

/** From accept to the client's preface; a slow TLS handshake over a bad link takes a few seconds. */
const SETUP_TIMEOUT_MS = 10_000;
/** Silence before the kernel probes a client: finds sources that vanished without a FIN. */
const TCP_KEEPALIVE_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
/** Unfinished messages may take this part of the process's memory budget; queues need the rest. */
const REASSEMBLY_RATIO = 0.5;
const HTTP1_HINT =
  'HTTP is served on other ports: by the http-server plugin for agents (12800 by default), by the Prometheus exporter for metrics (1234 by default).';
const REFUSED_BY_CPU = 'the CPU limit of this server is reached';
const REFUSED_BY_COUNT = 'the connection limit of this server is reached';

export class GrpcServerPlugin implements ServerPlugin, ListenerEvents {
  readonly registry: MethodRegistry;
  private readonly config: GrpcServerConfig;
  private readonly settings: ProcessSettings;
  private readonly address: SocketAddress;
  private readonly meter: ReassemblyMeter;
  private readonly server: GrpcServer;
  private readonly health: HealthService;
  private readonly unknownMethods: Counter;
  private readonly handlerErrors: Counter;
  private cpu: CpuMeter | null = null;
  private listener: Listener | null = null;
  private removeGauges: (() => void)[] = [];

  constructor(config: GrpcServerConfig, settings: ProcessSettings) {
    const { clock, log, metrics, budget } = settings;
    this.config = config;
    this.settings = settings;
    // The schema has checked it.
    this.address = parseAddress(config.address, config.network)!;
    this.meter = new ReassemblyMeter(budget.limitBytes * REASSEMBLY_RATIO, budget);
    this.unknownMethods = metrics.counter(METRICS.unknownMethods, {});
    this.handlerErrors = metrics.counter(METRICS.handlerErrors, {});
    this.server = new GrpcServer({
      clock,
      wheel: new TimerWheel(clock),
      meter: this.meter,
      maxReceiveMessageBytes: config.max_recv_msg_size,
      onHandlerError: (path, error) => {
        this.handlerErrors.value++;
        log.repeated('error', `handler ${path}`, 'a handler failed, its call ended with INTERNAL', {
          path,
          error: stackOf(error),
        });
      },
      onUnknownMethod: (path, peer) => {
        this.unknownMethods.value++;
        log.repeated('warn', 'unknown method', 'a method was called that no receiver serves', {
          path,
          peer: peer.host,
        });
      },
    });
    this.registry = this.server;
    this.health = new HealthService(() => this.server.paths);
    this.health.register(this.server);
    registerReflection(this.server, () => this.server.paths);
  }

  get boundAddress(): string {
    return this.listener?.boundAddress ?? '';
  }

  async start(): Promise<void> {
    const { config } = this;
    this.cpu = new CpuMeter(this.settings.clock, usableCores(readQuotaCores()));
    const tls = await readTlsFiles(config);
    this.listener = await listen(
      {
        clock: this.settings.clock,
        address: this.address,
        tls,
        maxConcurrentStreams: config.max_concurrent_streams,
        refuse: (openConnections) => this.refuse(openConnections),
        setupTimeoutMs: SETUP_TIMEOUT_MS,
        idleTimeoutMs: 0,
        keepaliveTimeMs: 0,
        keepaliveTimeoutMs: KEEPALIVE_TIMEOUT_MS,
        tcpKeepaliveMs: TCP_KEEPALIVE_MS,
        http1Hint: HTTP1_HINT,
        events: this,
      },
      this.server,
    );
    this.health.setServing(true);
    this.publishGauges(this.listener, this.cpu);
    const { boundAddress } = this.listener;
    this.settings.log.info('the gRPC server listens', { address: boundAddress, tls: tls === null ? 'off' : 'on' });
  }

  async drain(deadlineMs: number): Promise<void> {
    this.health.setServing(false);
    await this.listener?.drain(deadlineMs);
  }

  async close(): Promise<void> {
    for (const remove of this.removeGauges) remove();
    this.removeGauges = [];
    await this.listener?.close();
  }

  // --- limits ---

  private refuse(openConnections: number): string | null {
    const { cpu_utilization: cpuLimit, connection_count: countLimit } = this.config.accept_limit;
    if (openConnections >= countLimit) return REFUSED_BY_COUNT;
    return cpuLimit < 100 && this.cpu!.percent() >= cpuLimit ? REFUSED_BY_CPU : null;
  }

  private publishGauges(listener: Listener, cpu: CpuMeter): void {
    const { metrics } = this.settings;
    this.removeGauges = [
      metrics.gauge(METRICS.connections, {}, () => listener.connectionCount),
      metrics.gauge(METRICS.cpu, {}, () => cpu.percent()),
      metrics.gauge(METRICS.calls, {}, () => this.server.callCount),
      metrics.gauge(METRICS.reassembly, {}, () => this.meter.usedBytes),
    ];
  }

  // --- from the listener ---

  onRefused(peer: Peer, reason: string): void {
    const { log, metrics } = this.settings;
    metrics.counter(METRICS.refused, { reason: reason === REFUSED_BY_CPU ? 'cpu' : 'connections' }).value++;
    log.repeated('warn', reason, 'a connection was refused', { reason, peer: formatPeer(peer) });
  }

  onConnectionError(peer: Peer, error: SatelliteError): void {
    const { log, metrics } = this.settings;
    metrics.counter(METRICS.failed, { code: error.code }).value++;
    log.debug('a connection ended with an error', { peer: formatPeer(peer), error: error.message });
  }

  onBug(error: unknown): void {
    this.handlerErrors.value++;
    this.settings.log.repeated('error', 'connection bug', 'a connection was closed by a bug', {
      error: stackOf(error),
    });
  }

  onListenerError(error: SatelliteError): void {
    this.settings.log.error('the gRPC server has trouble accepting', { error: error.message });
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
