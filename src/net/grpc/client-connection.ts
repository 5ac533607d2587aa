/**
 * Calls over one connection to one address. Pure: net/socket brings the engine and the socket (`ClientTransport`).
 *
 *   connecting ──SETTINGS──▶ ready ──GOAWAY or drain──▶ draining ──▶ closed
 *        └────────────────────┴──────── lost ────────────────────────▶ closed
 */
import type { HeaderFields, Http2ConnectionEvents, Http2StreamEvents, Http2StreamHandle } from '../http2/contract.js';
import { errorCodeName, H2_ENHANCE_YOUR_CALM } from '../http2/errors.js';
import type { CallEnvironment } from './call-environment.js';
import { OutgoingCall } from './client-call.js';
import { ACCEPTED_ENCODINGS } from './compression.js';
import type {
  CallOptions,
  ClientCall,
  ClientCallHandler,
  ClientConnection,
  ClientConnectionEvents,
} from './contract.js';
import { DiscardingStream } from './refused-stream.js';
import { encodeTimeout } from './timeout.js';

/** What this layer uses of the HTTP/2 engine. */
export interface ClientEngine {
  readonly freeStreams: number;
  readonly openStreams: number;
  readonly maxConcurrentStreams: number;
  openStream(
    headers: HeaderFields,
    endStream: boolean,
    events: Http2StreamEvents,
    owner: unknown,
  ): Http2StreamHandle | null;
}

/** What this layer asks of the socket's owner. */
export interface ClientTransport {
  /** Clock time of the last bytes read or write drained. */
  readonly lastProgressMs: number;
  /** GOAWAY, then close when the open streams are done. */
  drain(): void;
  destroy(reason: string): void;
}

export interface ClientConnectionSettings {
  readonly environment: CallEnvironment;
  readonly authority: string;
  readonly isTls: boolean;
  /** The server found our keepalive pings too many. */
  readonly onTooManyPings: () => void;
}

const USER_AGENT = 'grpc-node-satellite';

export class GrpcClientConnection implements ClientConnection, Http2ConnectionEvents {
  private readonly settings: ClientConnectionSettings;
  private readonly events: ClientConnectionEvents;
  private engine: ClientEngine | null = null;
  private transport: ClientTransport | null = null;
  private hasSettings = false;
  private isDraining = false;
  private isLost = false;

  constructor(settings: ClientConnectionSettings, events: ClientConnectionEvents) {
    this.settings = settings;
    this.events = events;
  }

  /** @order once, before anything else. */
  attach(engine: ClientEngine, transport: ClientTransport): void {
    this.engine = engine;
    this.transport = transport;
  }

  get isReady(): boolean {
    return this.hasSettings && !this.isDraining && !this.isLost;
  }

  get freeStreams(): number {
    return this.isReady ? this.engine!.freeStreams : 0;
  }

  get maxConcurrentStreams(): number {
    return this.engine!.maxConcurrentStreams;
  }

  get openStreams(): number {
    return this.engine!.openStreams;
  }

  get lastProgressMs(): number {
    return this.transport!.lastProgressMs;
  }

  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null {
    if (this.freeStreams === 0) return null;
    const environment = this.settings.environment;
    const deadlineMs = options.deadlineMs ?? Infinity;
    const encoding = options.compression ?? 'identity';
    const scheme = this.settings.isTls ? 'https' : 'http';
    const headers = [':method', 'POST', ':scheme', scheme, ':path', path, ':authority', this.settings.authority];
    headers.push('te', 'trailers', 'content-type', 'application/grpc', 'user-agent', USER_AGENT);
    headers.push('grpc-accept-encoding', ACCEPTED_ENCODINGS);
    if (encoding !== 'identity') headers.push('grpc-encoding', encoding);
    if (deadlineMs !== Infinity) headers.push('grpc-timeout', encodeTimeout(deadlineMs - environment.clock.now()));
    const metadata = options.metadata;
    if (metadata !== undefined) for (let index = 0; index < metadata.length; index++) headers.push(metadata[index]!);
    const stream = this.engine!.openStream(headers, false, NOT_YET, null);
    if (stream === null) return null;
    const call = new OutgoingCall(environment, stream, path, this, handler);
    stream.events = call;
    stream.owner = call;
    call.begin(deadlineMs, encoding, options.ignoresReply === true);
    return call;
  }

  drain(): void {
    if (this.isLost) return;
    this.isDraining = true;
    this.transport!.drain();
  }

  destroy(reason: string): void {
    if (!this.isLost) this.transport!.destroy(reason);
  }

  // --- from the engine ---

  onStream(stream: Http2StreamHandle): void {
    // A server opens no streams towards us: push is switched off.
    stream.events = NOT_YET;
  }

  onSettings(): void {
    if (this.isLost) return;
    if (!this.hasSettings) {
      this.hasSettings = true;
      if (!this.isDraining) this.events.onReady(this);
    } else if (this.freeStreams > 0) {
      this.events.onFreeStream(this);
    }
  }

  onGoAway(_lastStreamId: number, errorCode: number, debugData: Uint8Array): void {
    const text = Buffer.from(debugData).toString('latin1');
    if (errorCode === H2_ENHANCE_YOUR_CALM && text === 'too_many_pings') this.settings.onTooManyPings();
    if (this.isDraining || this.isLost) return;
    this.isDraining = true;
    this.events.onDraining(this, text === '' ? errorCodeName(errorCode) : `${errorCodeName(errorCode)}: ${text}`);
  }

  onStreamClosed(): void {
    if (this.freeStreams > 0) this.events.onFreeStream(this);
  }

  // --- from the socket ---

  /** No calls from now on. @order before the engine ends the open ones, whose handlers may look here. */
  markLost(): void {
    this.isLost = true;
  }

  /** @order exactly once, last; the engine has ended all calls. */
  close(error: Error | null): void {
    this.isLost = true;
    this.events.onClosed(this, error);
  }
}

const NOT_YET = new DiscardingStream();
