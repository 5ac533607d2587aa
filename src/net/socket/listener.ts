/** Listens on one address and serves a GrpcServer's methods to whoever connects. */
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type Server as TlsServer,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls';
import { SatelliteError, TimerWheel } from '../../base/index.js';
import type { Peer } from '../grpc/contract.js';
import type { GrpcServer } from '../grpc/server.js';
import { DEFAULT_HTTP2_SETTINGS, Http2Connection, Http2Counters, type Http2Settings } from '../http2/index.js';
import { formatAddress, formatPeer, peerOf } from './address.js';
import type { WatchSettings } from './connection-watch.js';
import type { Listener, ListenSettings, ServerTlsSettings } from './contract.js';
import { NET_ERRORS } from './errors.js';
import { http1Answer } from './first-bytes.js';
import { certificateFault, connectionError, listenError } from './node-error.js';
import { Refusals } from './refusal.js';
import { SocketReads } from './socket-reads.js';
import { ServedSocket, type ServedSocketOwner } from './served-socket.js';

/** Connections waiting to be accepted: a whole mesh may reconnect in one second. The kernel caps it (somaxconn). */
const BACKLOG = 4096;
/**
 * Refused connections on a TLS port that may do their handshake at a time, for only then can they be told why. More are
 * closed before it: handshakes are what a burst of clients costs.
 */
const MAX_REFUSED_HANDSHAKES = 16;
const SHUTTING_DOWN = 'the server is shutting down';

/** Starts listening. @throws SAT_NET_LISTEN with address and reason. */
export async function listen(settings: ListenSettings, server: GrpcServer): Promise<Listener> {
  const listener = new SocketListener(settings, server);
  await listener.start();
  return listener;
}

interface RefusedHandshake {
  readonly socket: Socket;
  readonly reason: string;
}

class SocketListener implements Listener, ServedSocketOwner {
  readonly settings: ListenSettings;
  readonly wheel: TimerWheel;
  readonly watching: WatchSettings;
  readonly answer: string;
  readonly counters: Http2Counters;
  private readonly server: GrpcServer;
  private readonly http2: Http2Settings;
  private readonly refusals: Refusals;
  private readonly connections = new Set<ServedSocket>();
  private readonly listening: Server;
  /** Every accepted TCP connection, those in their TLS handshake included. */
  private readonly accepted = new Set<Socket>();
  /** Refused connections on a TLS port that are in their handshake, by the peer's address. */
  private readonly refusedHandshakes = new Map<string, RefusedHandshake>();
  /** Called, and forgotten, when the last connection is closed. */
  private idleListeners: (() => void)[] = [];
  private isClosing = false;
  /** What new handshakes use. */
  private tls: ServerTlsSettings | null;

  constructor(settings: ListenSettings, server: GrpcServer) {
    this.settings = settings;
    this.server = server;
    this.wheel = new TimerWheel(settings.clock);
    this.watching = { ...settings, pingsWithoutStreams: true, ageGraceMs: settings.age?.graceMs ?? 0 };
    this.counters = settings.counters ?? new Http2Counters();
    this.tls = settings.tls;
    this.answer = http1Answer(settings.http1Hint);
    this.http2 = { ...DEFAULT_HTTP2_SETTINGS, maxConcurrentStreams: settings.maxConcurrentStreams };
    this.refusals = new Refusals(settings.clock);
    this.listening = settings.tls === null ? this.createPlain() : this.createTls(settings.tls);
  }

  get boundAddress(): string {
    const bound = this.listening.address();
    if (bound === null || typeof bound === 'string') return bound ?? formatAddress(this.settings.address);
    return formatAddress({ kind: 'tcp', host: bound.address, port: bound.port });
  }

  get port(): number {
    const bound = this.listening.address();
    return bound === null || typeof bound === 'string' ? 0 : bound.port;
  }

  get connectionCount(): number {
    return this.accepted.size;
  }

  start(): Promise<void> {
    const { address } = this.settings;
    return new Promise((resolve, reject) => {
      const onError = (error: Error): void => {
        reject(listenError(error, formatAddress(address)));
      };
      this.listening.once('error', onError);
      this.listening.listen(listenOptions(this.settings), () => {
        this.listening.off('error', onError);
        this.listening.on('error', (error) => {
          this.settings.events.onListenerError(listenError(error, formatAddress(address)));
        });
        resolve();
      });
    });
  }

  async drain(deadlineMs: number): Promise<void> {
    this.isClosing = true;
    this.listening.close();
    for (const connection of this.connections) connection.leave();
    if (this.connectionCount === 0) return;
    const { clock } = this.settings;
    await new Promise<void>((resolve) => {
      const limit = clock.setTimer(deadlineMs - clock.now(), resolve);
      this.idleListeners.push(() => {
        limit.cancel();
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.listening.close();
    this.refusals.close();
    for (const connection of this.connections) connection.destroy(SHUTTING_DOWN);
    for (const socket of this.accepted) socket.destroy();
    for (const { socket } of this.refusedHandshakes.values()) socket.destroy();
    if (this.connectionCount > 0) await new Promise<void>((resolve) => this.idleListeners.push(resolve));
  }

  reloadTls(tls: ServerTlsSettings): void {
    if (this.tls === null) return;
    (this.listening as TlsServer).setSecureContext(tlsOptions(tls));
    this.tls = tls;
  }

  // --- accepting ---

  private createPlain(): Server {
    const options = { allowHalfOpen: true, noDelay: true };
    return createServer(options, (accepted) => {
      if (!this.admit(accepted)) return;
      const reads = SocketReads.ofAccepted(accepted);
      this.track(reads.socket);
      this.serve(reads, false);
    });
  }

  private createTls(tls: ServerTlsSettings): Server {
    const { setupTimeoutMs, events } = this.settings;
    const server = createTlsServer({
      ...tlsOptions(tls),
      noDelay: true,
      handshakeTimeout: setupTimeoutMs,
      // HTTP/1.1 only to be told, over its own protocol, that it is not served here.
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    server.on('connection', (socket: Socket) => {
      if (this.admit(socket)) this.track(socket);
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      // Only from here on: during the handshake node would not notice that a half-open client has gone.
      socket.allowHalfOpen = true;
      const refused = this.refusedHandshakes.get(addressOf(socket));
      const fault = clientCertificateFault(socket, this.tls!);
      if (refused !== undefined) this.refusals.refuse(socket, refused.reason);
      else if (fault === null) this.serve(SocketReads.of(socket), true);
      else this.refuseClient(socket, fault);
    });
    server.on('tlsClientError', (error, socket) => {
      const peer = this.peerOf(socket, true);
      events.onConnectionError(peer, connectionError(error, formatPeer(peer)));
    });
    return server;
  }

  private admit(socket: Socket): boolean {
    const { settings } = this;
    const reason = this.isClosing ? SHUTTING_DOWN : settings.refuse(this.connectionCount);
    if (reason === null) return true;
    const isTls = settings.tls !== null;
    settings.events.onRefused(this.peerOf(socket, isTls), reason);
    if (isTls) this.refuseHandshake(socket, reason);
    else this.refusals.refuse(socket, reason);
    return false;
  }

  private track(socket: Socket): void {
    const { tcpKeepaliveMs } = this.settings;
    if (tcpKeepaliveMs > 0) socket.setKeepAlive(true, tcpKeepaliveMs);
    this.accepted.add(socket);
    socket.on('close', () => {
      this.accepted.delete(socket);
      if (this.accepted.size === 0) this.tellIdle();
    });
  }

  private refuseHandshake(socket: Socket, reason: string): void {
    const address = addressOf(socket);
    if (this.isClosing || address === '' || this.refusedHandshakes.size >= MAX_REFUSED_HANDSHAKES) {
      socket.destroy();
      return;
    }
    this.refusedHandshakes.set(address, { socket, reason });
    socket.on('close', () => this.refusedHandshakes.delete(address));
  }

  /** The handshake went well but for the client's certificate: it hears why, which an alert of TLS could not say. */
  private refuseClient(socket: TLSSocket, fault: string): void {
    const peer = this.peerOf(socket, true);
    this.refusals.refuse(socket, fault);
    this.settings.events.onConnectionError(peer, new SatelliteError(NET_ERRORS.TLS, `${formatPeer(peer)}: ${fault}`));
  }

  private serve(reads: SocketReads, isTls: boolean): void {
    const calls = this.server.serve(this.peerOf(reads.socket, isTls));
    const served = new ServedSocket(reads, calls, this);
    this.connections.add(served);
    served.start(new Http2Connection('server', this.http2, calls, served.transport, this.counters));
    if (this.isClosing) served.leave();
  }

  private peerOf(socket: Socket, isTls: boolean): Peer {
    const { address } = this.settings;
    return peerOf(socket.remoteAddress, socket.remotePort, address.kind === 'unix' ? address.path : '', isTls);
  }

  // --- from connections ---

  onServedClosed(served: ServedSocket, error: SatelliteError | null): void {
    this.connections.delete(served);
    if (error !== null && !this.isClosing) this.settings.events.onConnectionError(served.peer, error);
  }

  private tellIdle(): void {
    const listeners = this.idleListeners;
    this.idleListeners = [];
    for (const listener of listeners) listener();
  }
}

/** Tells connections apart, also through TLS; '' where there are no addresses (unix sockets). */
function addressOf(socket: Socket): string {
  const { remoteAddress, remotePort } = socket;
  return remoteAddress === undefined ? '' : `${remoteAddress} ${String(remotePort)}`;
}

function listenOptions(settings: ListenSettings): ListenOptions {
  const { address } = settings;
  if (address.kind === 'unix') return { path: address.path, backlog: BACKLOG };
  // Without a host node listens on `::` for both families, or on 0.0.0.0 where there is no IPv6.
  return { port: address.port, backlog: BACKLOG, ...(address.host === '' ? {} : { host: address.host }) };
}

function tlsOptions(tls: ServerTlsSettings): SecureContextOptions & TlsOptions {
  return {
    cert: tls.cert,
    key: tls.key,
    minVersion: 'TLSv1.2',
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    requestCert: tls.ca !== undefined,
    // Judged after the handshake, see clientCertificateFault: node would hang up without a word.
    rejectUnauthorized: false,
  };
}

/** What is wrong with the certificate that the client showed, or did not; null: nothing. */
function clientCertificateFault(socket: TLSSocket, tls: ServerTlsSettings): string | null {
  if (tls.ca === undefined || socket.authorized) return null;
  if (Object.keys(socket.getPeerCertificate()).length === 0)
    return tls.isClientCertOptional === true ? null : 'a client certificate is required, and none was shown';
  return `the client certificate is refused: ${certificateFault(socket.authorizationError)}`;
}
