/** The gRPC server as a plugin: options to settings, limits, books and log lines around net/socket's listener. */
import { SatelliteError, TimerWheel } from '../../../base/index.js';
import type { Counter } from '../../../core/telemetry.js';
import type { ProcessSettings, ServerPlugin } from '../../../core/plugin.js';
import type { MethodRegistry, Peer } from '../../../net/grpc/contract.js';
import { GrpcServer, HealthService, ReassemblyMeter, registerReflection } from '../../../net/grpc/index.js';
import { errorCodeName, Http2Counters, type Http2CounterEvents } from '../../../net/http2/index.js';
import {
  formatPeer,
  isDeadSocket,
  listen,
  listenError,
  type Listener,
  type ListenerEvents,
  NET_ERRORS,
  parseAddress,
  type ServerTlsSettings,
  type SocketAddress,
  TlsFollower,
} from '../../../net/socket/index.js';
import { AcceptLimit, refusalOf, REFUSALS } from './accept-limit.js';
import type { GrpcServerConfig } from './config.js';
import { removeSocketFile, socketPathFault } from './fs.js';
import { LoadMeter, readQuotaCores, usableCores } from './load-meter.js';
import { GRPC_SERVER_METRICS as METRICS } from './metrics.js';
import { readFiles, readTlsFiles } from './tls-files.js';

/** From accept to the client's preface; a slow TLS handshake over a bad link takes a few seconds. */
const SETUP_TIMEOUT_MS = 10_000;
/** Silence before the kernel probes a client: finds sources that vanished without a FIN. */
const TCP_KEEPALIVE_MS = 60_000;
/** Unfinished messages may take this part of the process's memory budget; queues need the rest. */
const REASSEMBLY_RATIO = 0.5;
const HTTP1_HINT =
  'HTTP is served on other ports: by the http-server plugin for agents (12800 by default), by the Prometheus exporter for metrics (1234 by default).';

export class GrpcServerPlugin implements ServerPlugin, ListenerEvents, Http2CounterEvents {
  readonly registry: MethodRegistry;
  private readonly config: GrpcServerConfig;
  private readonly settings: ProcessSettings;
  private readonly address: SocketAddress;
  private readonly meter: ReassemblyMeter;
  private readonly server: GrpcServer;
  private readonly health: HealthService;
  private readonly unknownMethods: Counter;
  private readonly handlerErrors: Counter;
  private limit: AcceptLimit | null = null;
  private listener: Listener | null = null;
  private tlsFollower: TlsFollower<ServerTlsSettings> | null = null;
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
    const wheel = new TimerWheel(clock);
    this.server = new GrpcServer({
      clock,
      wheel,
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
    this.health = new HealthService(() => this.server.paths, wheel);
    this.health.register(this.server);
    registerReflection(this.server, () => this.server.paths);
  }

  get boundAddress(): string {
    return this.listener?.boundAddress ?? '';
  }

  followReadiness(isReady: () => boolean): void {
    this.health.follow(isReady);
  }

  async start(): Promise<void> {
    const { config } = this;
    const { clock, random } = this.settings;
    const load = new LoadMeter(clock, usableCores(readQuotaCores()));
    this.limit = new AcceptLimit(config.accept_limit, load);
    const tls = await readTlsFiles(config);
    if (this.address.kind === 'unix') await clearSocketPath(this.address.path);
    const age = { maxMs: config.max_connection_age, graceMs: config.max_connection_age_grace, random };
    this.listener = await listen(
      {
        clock,
        address: this.address,
        tls,
        maxConcurrentStreams: config.max_concurrent_streams,
        refuse: (openConnections) => this.refuse(openConnections),
        setupTimeoutMs: SETUP_TIMEOUT_MS,
        idleTimeoutMs: config.max_connection_idle,
        ...(age.maxMs === 0 ? {} : { age }),
        keepaliveTimeMs: config.keepalive_time,
        keepaliveTimeoutMs: config.keepalive_timeout,
        tcpKeepaliveMs: TCP_KEEPALIVE_MS,
        http1Hint: HTTP1_HINT,
        counters: new Http2Counters(this),
        events: this,
      },
      this.server,
    );
    this.health.setServing(true);
    this.publishGauges(this.listener, load);
    if (tls !== null) this.followTls(tls, this.listener);
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
    this.tlsFollower?.close();
    await this.listener?.close();
  }

  // --- limits ---

  private refuse(openConnections: number): string | null {
    const refusal = this.limit!.judge(openConnections);
    return refusal === null ? null : REFUSALS[refusal];
  }

  private publishGauges(listener: Listener, load: LoadMeter): void {
    const { metrics } = this.settings;
    this.removeGauges = [
      metrics.gauge(METRICS.connections, {}, () => listener.connectionCount),
      metrics.gauge(METRICS.cpu, {}, () => load.cpuPercent()),
      metrics.gauge(METRICS.loop, {}, () => load.loopPercent()),
      metrics.gauge(METRICS.calls, {}, () => this.server.callCount),
      metrics.gauge(METRICS.reassembly, {}, () => this.meter.usedBytes),
    ];
  }

  // --- certificates ---

  private followTls(tls: ServerTlsSettings, listener: Listener): void {
    const { clock, log, metrics } = this.settings;
    const follower = new TlsFollower(tls, {
      clock,
      read: () => readFiles(this.config),
      onRenewed: (renewed) => {
        listener.reloadTls(renewed);
        metrics.counter(METRICS.tlsReloads, { result: 'ok' }).value++;
        log.info('the TLS files of the gRPC server have changed and are in use');
      },
      onRefused: (error) => {
        metrics.counter(METRICS.tlsReloads, { result: 'error' }).value++;
        log.error('the TLS files of the gRPC server have changed and cannot be used; the old ones stay in use', {
          error: SatelliteError.from(error).message,
        });
      },
    });
    this.tlsFollower = follower;
    this.removeGauges.push(metrics.gauge(METRICS.certificateExpiry, {}, () => follower.expiryMs / 1000));
    if (follower.expiryMs <= clock.wallNow()) log.warn('the certificate of the gRPC server has expired');
  }

  // --- from the listener ---

  onRefused(peer: Peer, reason: string): void {
    const { log, metrics } = this.settings;
    metrics.counter(METRICS.refused, { reason: refusalOf(reason) }).value++;
    log.repeated('warn', reason, 'a connection was refused', { reason, peer: formatPeer(peer) });
  }

  onConnectionError(peer: Peer, error: SatelliteError): void {
    const { log, metrics } = this.settings;
    metrics.counter(METRICS.failed, { code: error.code }).value++;
    const fields = { peer: formatPeer(peer), error: error.message };
    // Certificates and ports are set up by people, who look for the reason here; all else is everyday.
    const reason = error.message.slice(fields.peer.length);
    if (error.code === NET_ERRORS.TLS.code) log.repeated('warn', `TLS${reason}`, 'a TLS connection failed', fields);
    else log.debug('a connection ended with an error', fields);
  }

  onGuardTrip(guard: string): void {
    this.settings.metrics.counter(METRICS.guardTrips, { guard }).value++;
  }

  onProtocolError(scope: 'connection' | 'stream', code: number): void {
    this.settings.metrics.counter(METRICS.protocolErrors, { scope, code: errorCodeName(code) }).value++;
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

/** Removes what a killed process left behind. @throws SAT_NET_LISTEN when something else is in the way. */
async function clearSocketPath(path: string): Promise<void> {
  const fault = socketPathFault(path);
  if (fault !== null) throw listenError(new Error(fault), path);
  if (await isDeadSocket(path)) removeSocketFile(path);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
