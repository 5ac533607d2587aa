/**
 * HOT (slot counting and `openCall`; the rest runs per connection).
 * The connections of one endpoint.
 *
 *           start                  peer's SETTINGS
 *   idle ──────────▶ connecting ───────────────────▶ ready
 *                     ▲      │ failed                  │ last connection lost
 *       time is up,   │      ▼                         │
 *     or orderly end  └── backoff ◀────────────────────┘
 *
 *   drain: from any state ▶ draining ▶ (gone when the open calls are done)
 *
 * `ejected` is no state of the connections but of the endpoint: see breaker.ts.
 *
 * It keeps `connectionsPerEndpoint` connections, one dial at a time, and adds one whenever the peer's
 * MAX_CONCURRENT_STREAMS leaves no slot for a batch, up to MAX_CONNECTIONS. One slot of all is kept free of batches, so
 * that synchronous relays never wait behind them.
 */
import { Backoff } from '../../base/index.js';
import type { Clock, Random, Timer } from '../../base/index.js';
import type { CallOptions, ClientCall, ClientCallHandler, ClientConnection } from '../../net/grpc/contract.js';
import { PooledConnection } from './pooled-connection.js';
import type { PoolOwner } from './pooled-connection.js';

/** With the 4 streams of an older OAP: 31 batches and a relay at once, far more than one OAP can chew. */
const MAX_CONNECTIONS = 8;
/** A connection that lasted this long counts as a success; a peer that accepts and hangs up does not reset the back-off. */
const STABLE_MS = 2_000;
/** Share of `max_connection_age` by which connections differ, so that they do not all leave at once. */
const AGE_JITTER_RATIO = 0.1;
const FIRST_RETRY_MS = 200;
const RETRY_FACTOR = 1.6;
const RETRY_JITTER_RATIO = 0.2;

/** State of an endpoint, as shown in metrics. */
export const ENDPOINT_STATE = { idle: 0, connecting: 1, ready: 2, backoff: 3, ejected: 4, draining: 5 } as const;
export type EndpointState = (typeof ENDPOINT_STATE)[keyof typeof ENDPOINT_STATE];

export interface SubchannelSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly connectionsPerEndpoint: number;
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
  /** Longest wait between two attempts to connect. */
  readonly reconnectMaxMs: number;
}

/** Starts a connection to the endpoint; see `Dial`. */
export type Connect = (events: PooledConnection) => ClientConnection;

export interface SubchannelEvents {
  /** The first connection is ready after there was none. */
  onConnected(): void;
  /** A slot may have become free. */
  onSlots(): void;
  /** An attempt to connect, or a connection, has failed. */
  onConnectionFailed(wasReady: boolean, error: Error | null): void;
  /** After `drain`: the last connection is closed. */
  onDrained(): void;
}

export class Subchannel implements PoolOwner {
  private readonly settings: SubchannelSettings;
  private readonly connect: Connect;
  private readonly events: SubchannelEvents;
  private readonly backoff: Backoff;
  /** Connections that take calls; replaced at each change, so that loops over it stand changes from within. */
  private pool: readonly PooledConnection[] = [];
  /** Connections that finish their calls. */
  private readonly leaving = new Set<PooledConnection>();
  /** The attempt to connect that is under way. */
  private dialing: PooledConnection | null = null;
  /** Runs while waiting to connect again. */
  private retryTimer: Timer | null = null;
  private isDraining = false;
  /** Drained, and said so. */
  private isGone = false;
  private isStarted = false;
  /** Slots promised to leases that have not opened their call yet. */
  private promised = 0;

  constructor(settings: SubchannelSettings, connect: Connect, events: SubchannelEvents) {
    this.settings = settings;
    this.connect = connect;
    this.events = events;
    this.backoff = new Backoff(
      {
        initialMs: Math.min(FIRST_RETRY_MS, settings.reconnectMaxMs),
        maxMs: settings.reconnectMaxMs,
        factor: RETRY_FACTOR,
        jitterRatio: RETRY_JITTER_RATIO,
      },
      settings.random,
    );
  }

  /** Never `ejected`: that is for the endpoint to add. */
  get state(): EndpointState {
    if (this.isDraining) return ENDPOINT_STATE.draining;
    if (this.pool.length > 0) return ENDPOINT_STATE.ready;
    if (this.dialing !== null) return ENDPOINT_STATE.connecting;
    return this.retryTimer === null ? ENDPOINT_STATE.idle : ENDPOINT_STATE.backoff;
  }

  get isReady(): boolean {
    return this.pool.length > 0;
  }

  /** Connections that take calls. */
  get connectionCount(): number {
    return this.pool.length;
  }

  // --- slots ---

  /** Calls that batches may open now. */
  get batchSlots(): number {
    // A peer that allows one call in all would never get a batch if it were kept for relays.
    let capacity = 0;
    for (let index = 0; index < this.pool.length; index++)
      capacity += this.pool[index]!.connection!.maxConcurrentStreams;
    return this.freeSlots - (capacity > 1 ? 1 : 0);
  }

  /** Calls that relays may open now. */
  get freeSlots(): number {
    let free = 0;
    for (let index = 0; index < this.pool.length; index++) free += this.pool[index]!.connection!.freeStreams;
    return free - this.promised;
  }

  /** A lease was given: its slot is taken from now on. */
  promiseSlot(): void {
    this.promised++;
    this.fill();
  }

  /** The lease has opened its call, or ended without. */
  releaseSlot(): void {
    this.promised--;
  }

  /** The connection with the fewest open calls opens one; null when none has a free stream. */
  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null {
    let chosen: ClientConnection | null = null;
    for (let index = 0; index < this.pool.length; index++) {
      const connection = this.pool[index]!.connection!;
      if (connection.freeStreams <= 0) continue;
      if (chosen === null || connection.openStreams < chosen.openStreams) chosen = connection;
    }
    return chosen === null ? null : chosen.openCall(path, handler, options);
  }

  // --- life ---

  start(): void {
    this.isStarted = true;
    this.fill();
  }

  /** No new calls; connections close when their open calls are done. */
  drain(): void {
    if (this.isDraining) return;
    this.isDraining = true;
    this.retryTimer?.cancel();
    this.retryTimer = null;
    this.dialing?.connection?.destroy('endpoint left');
    for (const pooled of this.pool) this.retire(pooled);
    this.checkDrained();
  }

  /** Closes at once; open calls end with UNAVAILABLE. */
  destroy(reason: string): void {
    this.drain();
    for (const pooled of [...this.leaving]) pooled.connection?.destroy(reason);
  }

  /**
   * A connection that brings no answers and no bytes any more (a cable pulled, a firewall that forgot it) gets no new
   * calls and is replaced; the calls it carries may still end.
   */
  abandon(connection: ClientConnection): void {
    const pooled = this.pool.find((candidate) => candidate.connection === connection);
    if (pooled === undefined) return;
    this.retire(pooled);
    this.fill();
  }

  // --- events of connections ---

  handleReady(pooled: PooledConnection): void {
    if (this.dialing === pooled) this.dialing = null;
    if (this.isDraining) {
      this.leaving.add(pooled);
      pooled.connection!.drain();
      return;
    }
    const wasReady = this.isReady;
    pooled.readyMs = this.settings.clock.now();
    this.pool = [...this.pool, pooled];
    this.armAge(pooled);
    this.retireAged();
    this.fill();
    if (wasReady) this.events.onSlots();
    else this.events.onConnected();
  }

  handleFreeStream(): void {
    // The news may also be that there are fewer slots than before.
    this.fill();
    this.events.onSlots();
  }

  handleDraining(pooled: PooledConnection, reason: string): void {
    if (!this.remove(pooled)) return;
    this.leaving.add(pooled);
    if (this.isDraining) return;
    this.reconnect(pooled, true);
    // Sent away before it could serve: an endpoint over its limits, or one that wants another certificate of us.
    if (!this.hasServed(pooled)) this.events.onConnectionFailed(true, new Error(reason));
  }

  handleClosed(pooled: PooledConnection, error: Error | null): void {
    pooled.ageTimer?.cancel();
    if (this.dialing === pooled) {
      this.dialing = null;
      if (!this.isDraining) this.retryLater();
      this.events.onConnectionFailed(false, error);
    } else if (this.remove(pooled)) {
      this.reconnect(pooled, error === null);
      if (error !== null) this.events.onConnectionFailed(true, error);
    } else {
      this.leaving.delete(pooled);
    }
    this.checkDrained();
  }

  // --- inner steps ---

  /** Dials the next connection if one is missing and nothing forbids it. */
  private fill(): void {
    if (!this.isStarted || this.isDraining || this.dialing !== null || this.retryTimer !== null) return;
    if (!this.isShort()) return;
    const pooled = new PooledConnection(this);
    this.dialing = pooled;
    pooled.connection = this.connect(pooled);
  }

  /** True when another connection would be useful. */
  private isShort(): boolean {
    const { connectionsPerEndpoint } = this.settings;
    let young = 0;
    let canOpenCalls = false;
    for (let index = 0; index < this.pool.length; index++) {
      const pooled = this.pool[index]!;
      if (!pooled.isAged) young++;
      // A peer that allows no call at all would not allow one on a second connection.
      if (pooled.connection!.maxConcurrentStreams > 0) canOpenCalls = true;
    }
    if (young < connectionsPerEndpoint) return true;
    return canOpenCalls && this.batchSlots <= 0 && young < MAX_CONNECTIONS;
  }

  /** After a connection was lost: an orderly end of one that had served is no failure. */
  private reconnect(lost: PooledConnection, isOrderly: boolean): void {
    if (this.isDraining) return;
    const hasServed = this.hasServed(lost);
    if (hasServed) this.backoff.reset();
    if (isOrderly && hasServed) this.fill();
    else this.retryLater();
  }

  private hasServed(pooled: PooledConnection): boolean {
    return this.settings.clock.now() - pooled.readyMs >= STABLE_MS;
  }

  private retryLater(): void {
    this.retryTimer ??= this.settings.clock.setTimer(this.backoff.nextMs(), () => {
      this.retryTimer = null;
      this.fill();
    });
  }

  private armAge(pooled: PooledConnection): void {
    const { maxConnectionAgeMs, clock, random } = this.settings;
    if (maxConnectionAgeMs <= 0) return;
    const ageMs = maxConnectionAgeMs * (1 + (random() * 2 - 1) * AGE_JITTER_RATIO);
    pooled.ageTimer = clock.setTimer(ageMs, () => {
      pooled.isAged = true;
      this.fill();
      this.retireAged();
    });
  }

  /** Lets aged connections go as far as younger ones replace them. */
  private retireAged(): void {
    let young = 0;
    for (const pooled of this.pool) if (!pooled.isAged) young++;
    if (young < this.settings.connectionsPerEndpoint) return;
    for (const pooled of this.pool) if (pooled.isAged) this.retire(pooled);
  }

  /** Takes a connection out of use and lets it finish its calls. */
  private retire(pooled: PooledConnection): void {
    if (!this.remove(pooled)) return;
    this.leaving.add(pooled);
    pooled.connection!.drain();
  }

  private checkDrained(): void {
    if (!this.isDraining || this.isGone || this.dialing !== null || this.leaving.size > 0) return;
    this.isGone = true;
    this.events.onDrained();
  }

  private remove(pooled: PooledConnection): boolean {
    if (!this.pool.includes(pooled)) return false;
    this.pool = this.pool.filter((other) => other !== pooled);
    pooled.ageTimer?.cancel();
    return true;
  }
}
