/** Settings and factories of the socket layer; the only place that touches node:net and node:tls. */
import type { Clock } from '../../base/index.js';
import type { ClientConnection, ClientConnectionEvents } from '../grpc/contract.js';

/** Where to connect to, or to listen on. */
export type SocketAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** TLS material, already read from disk. */
export interface ClientTlsSettings {
  /** PEM; absent: the system's roots. */
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
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
