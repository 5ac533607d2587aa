/**
 * HOT. One endpoint of a channel: its connections, its load and its breaker under one name.
 */
import type { Clock, Random } from '../../base/index.js';
import type { Status } from '../../net/grpc/contract.js';
import type { ClientTlsSettings, Dial, DialSettings } from '../../net/socket/contract.js';
import { OUTCOME } from '../channel.js';
import type { EndpointView, Outcome } from '../channel.js';
import type { Log, Metrics } from '../telemetry.js';
import { Breaker } from './breaker.js';
import { EndpointLoad } from './endpoint-load.js';
import type { BatchLease } from './batch-lease.js';
import { EndpointMetrics } from './metrics.js';
import type { ResolvedEndpoint } from './resolver.js';
import { ENDPOINT_STATE, Subchannel } from './subchannel.js';
import type { EndpointState, SubchannelEvents, SubchannelSettings } from './subchannel.js';

/** A failure that took longer than a slow answer and than this is a silence: a batch that waited in vain. */
const SILENCE_FLOOR_MS = 1_000;
/** When calls were given up for this long and none was answered, their connection is not trusted with another. */
const DEAD_CONNECTION_MS = 5_000;

/** What every endpoint of a channel is made with. */
export interface EndpointSettings extends SubchannelSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dial: Dial;
  /** Everything of a dial but what differs by endpoint. */
  readonly dialSettings: Omit<DialSettings, 'clock' | 'tls' | 'authority'>;
  readonly tls: () => ClientTlsSettings | null;
}

/** What an endpoint tells its channel. */
export interface EndpointOwner {
  /** It can take batches after it could not: it joins the others at their mean. */
  onJoined(endpoint: Endpoint): void;
  /** A refused lease might be given now. */
  onCapacity(): void;
  /** It had left, and its last call is over. */
  onGone(endpoint: Endpoint): void;
  /** A batch ended OK after `elapsedMs`. */
  onAnswer(bytes: number, elapsedMs: number, nowMs: number): void;
  /** An answer to a batch that takes longer than this is unusual. */
  slowAfterMs(bytes: number): number;
  /** Part of all recent bytes that `endpoint` was given. */
  shareOf(endpoint: Endpoint): number;
}

let nextId = 1;

export class Endpoint implements EndpointView, SubchannelEvents {
  readonly id = nextId++;
  readonly address: string;
  readonly load = new EndpointLoad();
  readonly breaker: Breaker;
  readonly subchannel: Subchannel;
  private readonly settings: EndpointSettings;
  private readonly owner: EndpointOwner;
  private readonly metrics: EndpointMetrics;
  private hasLeft = false;
  /** When it last answered a call, or was connected. */
  private answeredMs = 0;
  /** Since when it owes an answer to a call that was given up; Infinity: it has answered another since. */
  private silentSinceMs = Infinity;

  constructor(resolved: ResolvedEndpoint, settings: EndpointSettings, owner: EndpointOwner) {
    this.address = resolved.label;
    this.settings = settings;
    this.owner = owner;
    this.breaker = new Breaker(settings.random);
    this.subchannel = new Subchannel(
      settings,
      (events) => settings.dial(resolved.address, dialSettingsFor(resolved, settings), events),
      this,
    );
    this.metrics = new EndpointMetrics(settings.metrics, this.address, {
      state: () => this.state,
      connections: () => this.subchannel.connectionCount,
      inFlightBytes: () => this.load.inFlightBytes,
      inFlightBatches: () => this.load.inFlightBatches,
      share: () => this.owner.shareOf(this),
      timePerByte: () => this.load.speed.msPerByte * 1_000,
    });
  }

  get isReady(): boolean {
    return this.subchannel.isReady && !this.breaker.isEjected;
  }

  get state(): EndpointState {
    const state = this.subchannel.state;
    return state === ENDPOINT_STATE.ready && this.breaker.isEjected ? ENDPOINT_STATE.ejected : state;
  }

  /** An outstanding answer takes far longer than usual: no new batches meanwhile. */
  isSlow(nowMs: number): boolean {
    const oldest = this.load.oldestBatch;
    return oldest !== null && nowMs - oldest.startedMs > this.owner.slowAfterMs(oldest.bytes);
  }

  // --- leases ---

  begin(lease: BatchLease): void {
    this.subchannel.promiseSlot();
    if (lease.isRelay) {
      this.metrics.relays.value++;
      return;
    }
    this.load.begin(lease);
    if (lease.isProbe) {
      this.breaker.startProbe();
      this.metrics.probes.value++;
    }
  }

  end(lease: BatchLease, outcome: Outcome, status: Status | null): void {
    const nowMs = this.settings.clock.now();
    const elapsedMs = nowMs - lease.startedMs;
    if (status?.isLocal === false) this.onSignOfLife(nowMs);
    else if (outcome === OUTCOME.endpointFailed) this.distrust(lease, nowMs);
    // A relay's time and status say little about how the endpoint takes batches, so they count for neither.
    if (!lease.isRelay) {
      const wasSlow = this.isSlow(nowMs);
      this.load.end(lease);
      this.judge(lease, outcome, elapsedMs, nowMs);
      if (wasSlow && !this.isSlow(nowMs) && !this.breaker.isEjected) this.owner.onJoined(this);
    }
    this.owner.onCapacity();
  }

  // --- life ---

  start(): void {
    this.subchannel.start();
  }

  /** It is no longer listed: open calls finish, its series end at once (a successor of the same name starts anew). */
  leave(): void {
    this.hasLeft = true;
    this.metrics.forget();
    this.settings.log.info(`endpoint ${this.address} has left`, { endpoint: this.address });
    this.subchannel.drain();
  }

  onConnected(): void {
    const nowMs = this.settings.clock.now();
    this.onSignOfLife(nowMs);
    this.breaker.allowProbe(nowMs);
    this.settings.log.info(`connected to ${this.address}`, { endpoint: this.address });
    // Most often another process than before, whose speed says nothing about this one.
    this.load.speed.forget();
    this.load.startSlowly();
    this.owner.onJoined(this);
    this.owner.onCapacity();
  }

  onSlots(): void {
    this.owner.onCapacity();
  }

  onConnectionFailed(wasReady: boolean, error: Error | null): void {
    if (this.hasLeft) return;
    this.metrics.connectionFailures.value++;
    // The transport's errors begin with the address, which the line has already.
    const reason = error === null ? 'closed by the peer' : error.message.replace(`${this.address}: `, '');
    const message = wasReady ? `connection to ${this.address} lost` : `cannot connect to ${this.address}`;
    this.settings.log.repeated('warn', `endpoint-connection ${this.address}`, `${message}: ${reason}`, {
      endpoint: this.address,
    });
  }

  onDrained(): void {
    this.owner.onGone(this);
  }

  // --- inner steps ---

  private judge(lease: BatchLease, outcome: Outcome, elapsedMs: number, nowMs: number): void {
    this.metrics.countBatch(outcome);
    if (outcome === OUTCOME.ok) {
      this.metrics.bytes.value += lease.bytes;
      this.metrics.entries.value += lease.entries;
      this.metrics.callSeconds.observe(elapsedMs / 1_000);
      this.load.speed.learn(lease.bytes, elapsedMs, nowMs);
      this.load.onOk();
      this.owner.onAnswer(lease.bytes, elapsedMs, nowMs);
      if (this.breaker.onOk(lease.isProbe, nowMs)) {
        this.settings.log.info(`endpoint ${this.address} takes batches again`, { endpoint: this.address });
        this.load.startSlowly();
        this.owner.onJoined(this);
      }
    } else if (outcome === OUTCOME.endpointFailed) {
      const isSilence = elapsedMs > Math.max(SILENCE_FLOOR_MS, this.owner.slowAfterMs(lease.bytes));
      if (!this.breaker.onFailure(lease.isProbe, isSilence, nowMs)) return;
      this.metrics.ejections.value++;
      this.settings.log.repeated(
        'warn',
        `endpoint-ejected ${this.address}`,
        `endpoint ${this.address} fails ${isSilence ? 'to answer' : 'batches'} and is left out for a while`,
        { endpoint: this.address },
      );
    } else {
      this.breaker.onNeutral(lease.isProbe);
    }
  }

  private onSignOfLife(nowMs: number): void {
    this.answeredMs = nowMs;
    this.silentSinceMs = Infinity;
  }

  /**
   * We gave the call up. Each may have waited for a short time only, as the user's timeouts are; together they tell a
   * connection that is dead, with a peer that will never say so, from a slow answer.
   */
  private distrust({ connection, startedMs }: BatchLease, nowMs: number): void {
    this.silentSinceMs = Math.min(this.silentSinceMs, Math.max(startedMs, this.answeredMs));
    if (connection === null || nowMs - this.silentSinceMs < DEAD_CONNECTION_MS) return;
    this.silentSinceMs = Infinity;
    this.subchannel.abandon(connection);
  }
}

function dialSettingsFor(resolved: ResolvedEndpoint, settings: EndpointSettings): DialSettings {
  const tls = settings.tls();
  const named =
    tls === null || tls.serverName !== undefined || resolved.serverName === null
      ? tls
      : { ...tls, serverName: resolved.serverName };
  return { ...settings.dialSettings, clock: settings.clock, tls: named, authority: resolved.authority };
}
