/**
 * HOT (`lease`, `onCapacity`). The channel: holds the endpoints, chooses one for each batch, and wakes those it had to refuse.
 *
 * Order of choice for a batch, each among endpoints with a free slot and outside `excluded`, and not above what a slow
 * start allows:
 *   1. an ejected endpoint whose probe is due      gets this one batch
 *   2. the open ones that answer as usual          the picker chooses
 *   3. one that is slow to answer                  only if there is no other, and up to SLOW_BATCHES_MAX at once
 *   4. one that is ejected                         only if all connected ones are; the one ejected longest ago, one batch
 *                                                  each FORCED_PROBE_GAP_MS: rather a probe than a total stop
 */
import type { Timer } from '../../base/index.js';
import type { HeaderFields } from '../../net/http2/contract.js';
import type { ClientTlsSettings } from '../../net/socket/contract.js';
import type { Channel, EndpointView, Lease } from '../channel.js';
import { BatchLease } from './batch-lease.js';
import { GATE } from './breaker.js';
import { CallSpeed } from './call-speed.js';
import { Endpoint } from './endpoint.js';
import type { EndpointOwner, EndpointSettings } from './endpoint.js';
import type { EndpointLoad } from './endpoint-load.js';
import { EndpointSet } from './endpoint-set.js';
import { meanSpeed, pick, weigh } from './picker.js';
import type { ResolvedEndpoint, Resolver } from './resolver.js';

/** An answer is unusually slow after this many times the usual time for its bytes … */
const SLOW_FACTOR = 8;
/** … but never before this: shorter pauses are everyday, and leaving the endpoint out would only unsettle the others. */
const SLOW_FLOOR_MS = 200;
/** Batches that one slow endpoint may hold when there is no other. */
const SLOW_BATCHES_MAX = 4;
/** Between two probes while every endpoint is ejected. */
const FORCED_PROBE_GAP_MS = 250;

export interface BalancedChannelSettings extends Omit<EndpointSettings, 'tls'> {
  /** Added to every call. Flat, lower case. */
  readonly metadata: HeaderFields;
  readonly unaryTimeoutMs: number;
  readonly streamTimeoutMs: number;
}

export class BalancedChannel implements Channel, EndpointOwner {
  readonly metadata: HeaderFields;
  readonly unaryTimeoutMs: number;
  readonly streamTimeoutMs: number;
  private readonly settings: BalancedChannelSettings;
  private readonly set: EndpointSet;
  /** Endpoints that left and still finish calls. */
  private readonly departed = new Set<Endpoint>();
  /** Of the calls of all endpoints together: what is usual. */
  private readonly usual = new CallSpeed();
  private tls: ClientTlsSettings | null = null;
  private resolver: Resolver | null = null;
  private listeners: readonly (() => void)[] = [];
  /** A lease was refused since the listeners were last called. */
  private hasRefused = false;
  /** Wakes the refused when an ejection ends. */
  private wakeTimer: Timer | null = null;
  private wakeAtMs = Infinity;
  private forcedProbeAtMs = 0;
  // Filled anew by each choice; kept to spare the allocation.
  private readonly candidates: Endpoint[] = [];
  private readonly loads: EndpointLoad[] = [];

  constructor(settings: BalancedChannelSettings) {
    this.settings = settings;
    this.metadata = settings.metadata;
    this.unaryTimeoutMs = settings.unaryTimeoutMs;
    this.streamTimeoutMs = settings.streamTimeoutMs;
    const endpointSettings: EndpointSettings = { ...settings, tls: () => this.tls };
    this.set = new EndpointSet((resolved) => new Endpoint(resolved, endpointSettings, this));
  }

  // --- life ---

  start(resolver: Resolver, tls: ClientTlsSettings | null): void {
    this.tls = tls;
    this.resolver = resolver;
    resolver.start((resolved) => {
      this.follow(resolved);
    });
  }

  /** New connections use this; open ones stay. */
  reloadTls(tls: ClientTlsSettings): void {
    this.tls = tls;
  }

  /** Ends at once; calls that are open end with UNAVAILABLE. */
  close(): void {
    this.resolver?.close();
    this.wakeTimer?.cancel();
    this.follow([]);
    for (const endpoint of [...this.departed]) endpoint.subchannel.destroy('channel closed');
  }

  private follow(resolved: readonly ResolvedEndpoint[]): void {
    const { departed, arrived } = this.set.replace(resolved);
    for (const endpoint of departed) {
      this.departed.add(endpoint);
      endpoint.leave();
    }
    for (const endpoint of arrived) endpoint.start();
  }

  // --- leases ---

  lease(bytes: number, entries: number, excluded: ReadonlySet<number> | null): Lease | null {
    const nowMs = this.settings.clock.now();
    const endpoint = this.choose(bytes, excluded, nowMs);
    if (endpoint === null) {
      this.hasRefused = true;
      return null;
    }
    return new BatchLease(endpoint, bytes, entries, false, endpoint.breaker.isEjected, nowMs, this.metadata);
  }

  leaseForRelay(): Lease | null {
    const nowMs = this.settings.clock.now();
    const endpoint = this.chooseForRelay(nowMs);
    if (endpoint === null) return null;
    return new BatchLease(endpoint, 0, 0, true, false, nowMs, this.metadata);
  }

  subscribe(listener: () => void): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((known) => known !== listener);
    };
  }

  endpoints(): readonly EndpointView[] {
    return this.set.all;
  }

  // --- choosing ---

  private choose(bytes: number, excluded: ReadonlySet<number> | null, nowMs: number): Endpoint | null {
    this.clearCandidates();
    let slow: Endpoint | null = null;
    let ejected: Endpoint | null = null;
    let areAllEjected = true;
    let nextDueMs = Infinity;
    const all = this.set.all;
    for (let index = 0; index < all.length; index++) {
      const endpoint = all[index]!;
      if (!endpoint.subchannel.isReady) continue;
      const breaker = endpoint.breaker;
      if (!breaker.isEjected) areAllEjected = false;
      if (excluded?.has(endpoint.id) === true || endpoint.subchannel.batchSlots <= 0) continue;
      const gate = breaker.gate(nowMs);
      if (gate === GATE.probe) return endpoint;
      if (gate === GATE.shut) {
        if (breaker.isProbing) continue;
        nextDueMs = Math.min(nextDueMs, breaker.probeDueMs);
        if (ejected === null || breaker.ejectedAtMs < ejected.breaker.ejectedAtMs) ejected = endpoint;
      } else if (!endpoint.load.mayHoldMore) {
        continue;
      } else if (endpoint.isSlow(nowMs)) {
        const held = endpoint.load.inFlightBatches;
        if (held < SLOW_BATCHES_MAX && (slow === null || held < slow.load.inFlightBatches)) slow = endpoint;
      } else {
        this.addCandidate(endpoint);
      }
    }
    const chosen = pick(this.loads, bytes, nowMs, this.settings.random);
    if (chosen >= 0) return this.candidates[chosen]!;
    if (slow !== null) return slow;
    if (ejected === null) return null;
    if (areAllEjected) {
      if (nowMs >= this.forcedProbeAtMs) {
        this.forcedProbeAtMs = nowMs + FORCED_PROBE_GAP_MS;
        return ejected;
      }
      nextDueMs = Math.min(nextDueMs, this.forcedProbeAtMs);
    }
    this.wakeNotAfter(nextDueMs, nowMs);
    return null;
  }

  /** Relays go to whom batches would go, but may take the last slot, and prefer a troubled endpoint to none. */
  private chooseForRelay(nowMs: number): Endpoint | null {
    this.clearCandidates();
    const all = this.set.all;
    let troubled: Endpoint | null = null;
    for (let index = 0; index < all.length; index++) {
      const endpoint = all[index]!;
      if (endpoint.subchannel.freeSlots <= 0) continue;
      if (endpoint.breaker.isEjected || endpoint.isSlow(nowMs)) troubled = endpoint;
      else this.addCandidate(endpoint);
    }
    const chosen = pick(this.loads, 0, nowMs, this.settings.random);
    return chosen >= 0 ? this.candidates[chosen]! : troubled;
  }

  private clearCandidates(): void {
    this.candidates.length = 0;
    this.loads.length = 0;
  }

  private addCandidate(endpoint: Endpoint): void {
    this.candidates.push(endpoint);
    this.loads.push(endpoint.load);
  }

  // --- waking ---

  onCapacity(): void {
    if (!this.hasRefused) return;
    this.hasRefused = false;
    const listeners = this.listeners;
    for (let index = 0; index < listeners.length; index++) listeners[index]!();
  }

  private wakeNotAfter(dueMs: number, nowMs: number): void {
    if (dueMs >= this.wakeAtMs) return;
    this.wakeTimer?.cancel();
    this.wakeAtMs = dueMs;
    this.wakeTimer = this.settings.clock.setTimer(dueMs - nowMs, () => {
      this.wakeAtMs = Infinity;
      this.onCapacity();
    });
  }

  // --- what endpoints tell ---

  onJoined(endpoint: Endpoint): void {
    const nowMs = this.settings.clock.now();
    const others: EndpointLoad[] = [];
    for (const other of this.set.all) if (other !== endpoint && other.isReady) others.push(other.load);
    endpoint.load.join(others, weigh(endpoint.load, meanSpeed(others)), nowMs);
  }

  onGone(endpoint: Endpoint): void {
    this.departed.delete(endpoint);
  }

  onAnswer(bytes: number, elapsedMs: number, nowMs: number): void {
    this.usual.learn(bytes, elapsedMs, nowMs);
  }

  slowAfterMs(bytes: number): number {
    return Math.max(SLOW_FLOOR_MS, this.usual.expectedMs(bytes) * SLOW_FACTOR);
  }

  shareOf(endpoint: Endpoint): number {
    const nowMs = this.settings.clock.now();
    let total = 0;
    for (const other of this.set.all) total += other.load.givenBytes(nowMs);
    return total === 0 ? 0 : endpoint.load.givenBytes(nowMs) / total;
  }
}
