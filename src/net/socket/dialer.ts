/** Connects to one address and makes gRPC calls over it. */
import { isIP, Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { SatelliteError, TimerWheel, type ByteBudget, type Clock } from '../../base/index.js';
import { GrpcClientConnection } from '../grpc/client-connection.js';
import type { ClientConnection, ClientConnectionEvents } from '../grpc/contract.js';
import { ReassemblyMeter } from '../grpc/reassembly-meter.js';
import { DEFAULT_HTTP2_SETTINGS, Http2Connection, type Http2Counters } from '../http2/index.js';
import { formatAddress } from './address.js';
import { ConnectionWatch, type WatchedConnection } from './connection-watch.js';
import type { ClientTlsSettings, Dial, DialSettings, SocketAddress } from './contract.js';
import { NET_ERRORS } from './errors.js';
import { ServerFirstBytes } from './first-bytes.js';
import { SocketReads } from './socket-reads.js';
import { Transport, type TransportOwner } from './transport.js';

/** Silence before the kernel probes an idle connection: NATs and load balancers forget after 5 min or less. */
const TCP_KEEPALIVE_MS = 60_000;
/** A server that complains about pings twice an hour is asked at most once an hour. */
const MAX_PING_FACTOR = 64;

export interface DialerSettings {
  readonly clock: Clock;
  /** Bound of what all responses under way may hold. @units bytes */
  readonly maxReassemblyBytes: number;
  readonly budget: ByteBudget | null;
  /** Where protocol errors and tripped guards are counted; absent: by each connection for itself. */
  readonly counters?: Http2Counters;
  /** A callback of the layer above threw, or another bug of ours. */
  readonly onBug: (error: unknown) => void;
}

/** Makes the `Dial` of a process: its connections share a timer wheel and what servers said about our pings. */
export function createDial(settings: DialerSettings): Dial {
  const dialer = new Dialer(settings);
  return (address, dialSettings, events) => dialer.dial(address, dialSettings, events);
}

class Dialer {
  readonly settings: DialerSettings;
  readonly wheel: TimerWheel;
  readonly meter: ReassemblyMeter;
  /** By address: the keepalive interval is multiplied by this, doubled at each "too_many_pings". */
  private readonly pingFactors = new Map<string, number>();

  constructor(settings: DialerSettings) {
    this.settings = settings;
    this.wheel = new TimerWheel(settings.clock);
    this.meter = new ReassemblyMeter(settings.maxReassemblyBytes, settings.budget);
  }

  dial(address: SocketAddress, settings: DialSettings, events: ClientConnectionEvents): ClientConnection {
    const where = formatAddress(address);
    const factor = this.pingFactors.get(where) ?? 1;
    const onTooManyPings = (): void => {
      this.pingFactors.set(where, Math.min(factor * 2, MAX_PING_FACTOR));
    };
    const keepaliveTimeMs = settings.keepaliveTimeMs * factor;
    const { onBug } = this.settings;
    const environment = {
      clock: settings.clock,
      wheel: this.wheel,
      meter: this.meter,
      maxReceiveMessageBytes: settings.maxReceiveMessageBytes,
      onHandlerError: (_path: string, error: unknown): void => {
        onBug(error);
      },
    };
    const { authority } = settings;
    const grpc = new GrpcClientConnection(
      { environment, authority, isTls: settings.tls !== null, onTooManyPings },
      events,
    );
    const dialled = new DialledSocket(openSocket(address, settings), where, grpc, this, {
      ...settings,
      keepaliveTimeMs,
    });
    dialled.start();
    return grpc;
  }
}

class DialledSocket implements TransportOwner, WatchedConnection {
  private readonly socket: Socket;
  private readonly where: string;
  private readonly grpc: GrpcClientConnection;
  private readonly dialer: Dialer;
  private readonly settings: DialSettings;
  private readonly transport: Transport;
  private readonly engine: Http2Connection;
  private watch: ConnectionWatch | null = null;

  constructor(reads: SocketReads, where: string, grpc: GrpcClientConnection, dialer: Dialer, settings: DialSettings) {
    this.socket = reads.socket;
    this.where = where;
    this.grpc = grpc;
    this.dialer = dialer;
    this.settings = settings;
    this.transport = new Transport(reads, settings.clock, where, new ServerFirstBytes(), this);
    this.engine = new Http2Connection('client', DEFAULT_HTTP2_SETTINGS, grpc, this.transport, dialer.settings.counters);
    this.transport.attach(this.engine);
    grpc.attach(this.engine, this.transport);
  }

  start(): void {
    const { settings, socket, dialer } = this;
    const watching = {
      ...settings,
      setupTimeoutMs: settings.connectTimeoutMs,
      idleTimeoutMs: 0,
      ageGraceMs: 0,
      pingsWithoutStreams: false,
    };
    this.watch = new ConnectionWatch(watching, this, settings.clock, dialer.wheel);
    if (settings.tls === null) {
      socket.once('connect', () => {
        this.transport.open();
      });
      return;
    }
    socket.once('secureConnect', () => {
      const protocol = (socket as TLSSocket).alpnProtocol;
      // Servers that know no ALPN at all are believed to speak HTTP/2, as the caller says so.
      if (protocol === 'h2' || protocol === false) this.transport.open();
      else this.fail(NET_ERRORS.TLS, `the server offers ${String(protocol)} instead of HTTP/2`);
    });
  }

  private fail(kind: (typeof NET_ERRORS)[keyof typeof NET_ERRORS], reason: string): void {
    const text = `${this.where}: ${reason}`;
    this.transport.destroy(text, new SatelliteError(kind, text));
  }

  // --- what is watched ---

  get isSetUp(): boolean {
    return this.engine.peerSettingsSeen;
  }

  get openStreams(): number {
    return this.engine.openStreams;
  }

  get lastReadMs(): number {
    return this.transport.lastReadMs;
  }

  ping(onAnswer: () => void): void {
    this.engine.ping(onAnswer);
  }

  drain(): void {
    this.transport.drain();
  }

  endQuietCalls(): void {
    // Those who made the calls end them.
  }

  giveUp(reason: string): void {
    this.fail(NET_ERRORS.TIMEOUT, reason);
  }

  // --- from the transport ---

  onTransportClosing(): void {
    this.grpc.markLost();
  }

  onTransportClosed(_transport: Transport, error: SatelliteError | null): void {
    this.watch!.stop();
    this.grpc.close(error);
  }

  onTransportBug(error: unknown): void {
    this.dialer.settings.onBug(error);
  }
}

/** Starts connecting. What is wrong with the settings themselves (a bad port, a broken PEM) is heard like any failure. */
function openSocket(address: SocketAddress, settings: DialSettings): SocketReads {
  try {
    return tryOpenSocket(address, settings);
  } catch (error) {
    return SocketReads.of(new Socket().destroy(error as Error));
  }
}

function tryOpenSocket(address: SocketAddress, settings: DialSettings): SocketReads {
  const common = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS };
  const target = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
  if (settings.tls === null) return SocketReads.dial({ ...target, ...common });
  return SocketReads.of(connectTls({ ...target, ...common, ...tlsOptions(settings.tls, address) }));
}

function tlsOptions(tls: ClientTlsSettings, address: SocketAddress): ConnectionOptions {
  const name = tls.serverName ?? (address.kind === 'tcp' ? address.host : '');
  return {
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: tls.insecureSkipVerify !== true,
    // SNI carries names only; an address is still what the certificate is checked for.
    ...(name === '' || isIP(name) !== 0 ? {} : { servername: name }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  };
}
