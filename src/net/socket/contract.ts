/** Settings and factories of the socket layer; the only place that touches node:net and node:tls. */
import type { Clock, Random, SatelliteError } from '../../base/index.js';
import type { Http2Counters } from '../http2/index.js';
import type { ClientConnection, ClientConnectionEvents, Peer } from '../grpc/contract.js';
import type { TlsMaterial } from './tls-material.js';

/** Where to connect to, or to listen on. */
export type SocketAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** TLS material, already read from disk. */
export interface ClientTlsSettings extends TlsMaterial {
  /** PEM; absent: the system's roots. */
  readonly ca?: string | Buffer;
  /** Name to verify and to send as SNI; absent: the host name. */
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

export interface DialSettings {
  readonly clock: Clock;
  readonly tls: ClientTlsSettings | null;
  readonly connectTimeoutMs: number;
  /** HTTP/2 PING interval; 0: none (OAP's grpc-java answers pings faster than 5 min with GOAWAY). */
  readonly keepaliveTimeMs: number;
  readonly keepaliveTimeoutMs: number;
  /** The :authority header. */
  readonly authority: string;
  readonly maxReceiveMessageBytes: number;
}

/** Starts connecting at once. Never throws: failures come as `onClosed`. */
export type Dial = (address: SocketAddress, settings: DialSettings, events: ClientConnectionEvents) => ClientConnection;

// --- server side ---

/** TLS material, already read from disk. */
export interface ServerTlsSettings extends TlsMaterial {
  /** PEM chain and key. */
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** PEM; given: clients are asked for a certificate signed by it. Whether it is given cannot change later. */
  readonly ca?: string | Buffer;
  /** A client that shows no certificate is served all the same; one that shows a bad one is not. */
  readonly isClientCertOptional?: boolean;
}

/** When connections end although nothing is wrong with them, so that clients spread anew over all replicas. */
export interface ConnectionAge {
  /** Give or take a tenth. @units ms */
  readonly maxMs: number;
  /** Calls still open so long after that are cut off. @units ms; 0: never */
  readonly graceMs: number;
  readonly random: Random;
}

export interface ListenSettings {
  readonly clock: Clock;
  readonly address: SocketAddress;
  /** null: plain text. */
  readonly tls: ServerTlsSettings | null;
  /** HTTP/2 streams one client may have open. */
  readonly maxConcurrentStreams: number;
  /**
   * Asked for each new connection: null accepts it, a reason refuses it: a GOAWAY tells the client. Of a burst on a TLS
   * port most are closed before the handshake, which is what costs.
   */
  readonly refuse: (openConnections: number) => string | null;
  /** From accept to the client's preface, TLS handshake included. @units ms */
  readonly setupTimeoutMs: number;
  /** A connection without streams and data for so long is drained. @units ms; 0: never */
  readonly idleTimeoutMs: number;
  /** Absent: connections may grow as old as they like. */
  readonly age?: ConnectionAge;
  /** A ping to clients that sent nothing for so long. @units ms; 0: never */
  readonly keepaliveTimeMs: number;
  readonly keepaliveTimeoutMs: number;
  /** TCP keepalive on accepted sockets: silence before the first probe. @units ms */
  readonly tcpKeepaliveMs: number;
  /** A sentence for those who speak HTTP/1 here: where HTTP is served. */
  readonly http1Hint: string;
  /** Where protocol errors and tripped guards are counted; absent: in one of its own. */
  readonly counters?: Http2Counters;
  readonly events: ListenerEvents;
}

/** For logs and counts; all optional to act on. */
export interface ListenerEvents {
  /** A connection was refused by `refuse`. */
  onRefused(peer: Peer, reason: string): void;
  /** A connection ended with an error (handshake failed, reset, protocol error, silence). */
  onConnectionError(peer: Peer, error: SatelliteError): void;
  /** A bug of ours in a callback; the connection was destroyed. */
  onBug(error: unknown): void;
  /** The listener itself failed after it had started. */
  onListenerError(error: SatelliteError): void;
}

export interface Listener {
  /** `host:port` (port 0 resolved) or the socket path. */
  readonly boundAddress: string;
  readonly port: number;
  /** Accepted connections that are open. */
  readonly connectionCount: number;
  /** Protocol errors and tripped guards of all its connections. */
  readonly counters: Http2Counters;
  /**
   * Stops accepting, sends GOAWAY, ends open calls at message boundaries.
   * @returns when all connections are closed, or at `deadlineMs` (clock).
   */
  drain(deadlineMs: number): Promise<void>;
  /** Closes at once what is left. Idempotent. */
  close(): Promise<void>;
  /** New handshakes use this; open connections stay. @throws what node:tls says of unusable material. */
  reloadTls(tls: ServerTlsSettings): void;
}
