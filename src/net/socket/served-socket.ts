/** One accepted connection: its transport, its engine and what watches over them. */
import { SatelliteError, type TimerWheel } from '../../base/index.js';
import type { Peer } from '../grpc/contract.js';
import type { ServedConnection } from '../grpc/server.js';
import type { Http2Connection } from '../http2/index.js';
import { formatPeer } from './address.js';
import { ConnectionWatch, type WatchedConnection, type WatchSettings } from './connection-watch.js';
import type { ListenSettings } from './contract.js';
import { NET_ERRORS } from './errors.js';
import { ClientFirstBytes } from './first-bytes.js';
import type { SocketReads } from './socket-reads.js';
import { Transport, type TransportOwner } from './transport.js';

/** Part by which ages differ, so that connections of one moment do not all come back in another. */
const AGE_JITTER_RATIO = 0.1;

/** The listener. */
export interface ServedSocketOwner {
  readonly settings: ListenSettings;
  readonly wheel: TimerWheel;
  readonly watching: WatchSettings;
  /** For those who speak HTTP/1. */
  readonly answer: string;
  /** Exactly once. */
  onServedClosed(served: ServedSocket, error: SatelliteError | null): void;
}

export class ServedSocket implements TransportOwner, WatchedConnection {
  readonly peer: Peer;
  readonly transport: Transport;
  private readonly calls: ServedConnection;
  private readonly owner: ServedSocketOwner;
  private engine: Http2Connection | null = null;
  private watch: ConnectionWatch | null = null;

  constructor(reads: SocketReads, calls: ServedConnection, owner: ServedSocketOwner) {
    this.peer = calls.peer;
    this.calls = calls;
    this.owner = owner;
    const { clock } = owner.settings;
    this.transport = new Transport(reads, clock, formatPeer(this.peer), new ClientFirstBytes(owner.answer), this);
  }

  /** @order once; `engine` was made with our transport as its host. */
  start(engine: Http2Connection): void {
    const { settings, watching, wheel } = this.owner;
    this.engine = engine;
    this.transport.attach(engine);
    this.watch = new ConnectionWatch(watching, this, settings.clock, wheel, nextMaxAgeMs(settings));
  }

  /** Ends without losing a message; open calls end at message boundaries. */
  leave(): void {
    this.watch!.leave();
  }

  destroy(reason: string): void {
    this.transport.destroy(reason);
  }

  // --- what is watched ---

  get isSetUp(): boolean {
    return this.engine!.peerSettingsSeen;
  }

  get openStreams(): number {
    return this.engine!.openStreams;
  }

  get lastReadMs(): number {
    return this.transport.lastReadMs;
  }

  ping(onAnswer: () => void): void {
    this.engine!.ping(onAnswer);
  }

  drain(): void {
    this.transport.drain();
    this.calls.drainCalls(false);
  }

  endQuietCalls(): void {
    this.calls.drainCalls(true);
  }

  giveUp(reason: string): void {
    const text = `${formatPeer(this.peer)}: ${reason}`;
    this.transport.destroy(reason, new SatelliteError(NET_ERRORS.TIMEOUT, text));
  }

  // --- from the transport ---

  onTransportClosing(): void {
    // Calls hear it from the engine.
  }

  onTransportClosed(_transport: Transport, error: SatelliteError | null): void {
    this.watch!.stop();
    this.owner.onServedClosed(this, error);
  }

  onTransportBug(error: unknown): void {
    this.owner.settings.events.onBug(error);
  }
}

function nextMaxAgeMs(settings: ListenSettings): number {
  const { age } = settings;
  return age === undefined ? Infinity : age.maxMs * (1 + AGE_JITTER_RATIO * (2 * age.random() - 1));
}
