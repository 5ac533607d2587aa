/** A channel over simulated OAPs, and a sender with simulated sources before it. */
import { createSeededRandom, SimulatedClock } from '../../../../src/base/index.js';
import type { Random } from '../../../../src/base/index.js';
import { BalancedChannel } from '../../../../src/core/balance/index.js';
import type {
  BalancedChannelSettings,
  EndpointsListener,
  ResolvedEndpoint,
  Resolver,
} from '../../../../src/core/balance/index.js';
import { OUTCOME } from '../../../../src/core/channel.js';
import type { Lease } from '../../../../src/core/channel.js';
import type { ClientCall, ClientCallHandler, Status } from '../../../../src/net/grpc/contract.js';
import { FakeNetwork, resolved } from './fake-oap.js';
import type { FakeOap, FakeOapBehaviour } from './fake-oap.js';
import { CapturingLog } from '../../../support/log.js';
import { RecordingMetrics } from '../../../support/metrics.js';

/** A resolver moved by hand. */
export class ManualResolver implements Resolver {
  private listener: EndpointsListener | null = null;
  isClosed = false;

  start(listener: EndpointsListener): void {
    this.listener = listener;
  }

  close(): void {
    this.isClosed = true;
  }

  report(labels: readonly string[]): void {
    this.reportResolved(labels.map(resolved));
  }

  reportResolved(endpoints: readonly ResolvedEndpoint[]): void {
    this.listener!(endpoints);
  }
}

/** The channel as the client plugin makes it by default, on `network`. */
export function createChannel(
  clock: SimulatedClock,
  random: Random,
  network: FakeNetwork,
  settings: Partial<BalancedChannelSettings> = {},
): BalancedChannel {
  return new BalancedChannel({
    clock,
    random,
    log: new CapturingLog(),
    metrics: new RecordingMetrics(),
    dial: network.dial,
    dialSettings: {
      connectTimeoutMs: 5_000,
      keepaliveTimeMs: 0,
      keepaliveTimeoutMs: 20_000,
      maxReceiveMessageBytes: 4 << 20,
    },
    connectionsPerEndpoint: 1,
    maxConnectionAgeMs: 0,
    reconnectMaxMs: 5_000,
    metadata: [],
    unaryTimeoutMs: 5_000,
    streamTimeoutMs: 20_000,
    ...settings,
  });
}

export class Rig {
  readonly clock = new SimulatedClock();
  readonly random: Random;
  readonly network: FakeNetwork;
  readonly resolver = new ManualResolver();
  readonly log = new CapturingLog();
  readonly metrics = new RecordingMetrics();
  readonly channel: BalancedChannel;
  private labels: readonly string[] = [];

  constructor(seed: number, settings: Partial<BalancedChannelSettings> = {}) {
    this.random = createSeededRandom(seed);
    this.network = new FakeNetwork(this.clock, this.random);
    this.channel = createChannel(this.clock, this.random, this.network, {
      log: this.log,
      metrics: this.metrics,
      ...settings,
    });
    this.channel.start(this.resolver, null);
  }

  /** Adds OAPs and waits until they are connected. */
  join(count: number, behaviour: Partial<FakeOapBehaviour> = {}): readonly FakeOap[] {
    const first = this.labels.length + 1;
    const added = Array.from({ length: count }, (_, index) =>
      this.network.add(`10.0.0.${first + index}:11800`, behaviour),
    );
    this.report([...this.labels, ...added.map((oap) => oap.label)]);
    this.clock.advance(10);
    return added;
  }

  report(labels: readonly string[]): void {
    this.labels = labels;
    this.resolver.report(labels);
  }
}

/** One batch on its way through `BatchSender`. */
interface Sent {
  readonly bytes: number;
  readonly entries: number;
  readonly createdMs: number;
  readonly excluded: Set<number>;
  lease: Lease | null;
}

/** What arrived where and when. */
export interface Delivery {
  readonly endpoint: string;
  readonly entries: number;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly createdMs: number;
  readonly isOk: boolean;
}

const GIVE_UP_MS = 10_000;
const NO_PARTS: readonly Uint8Array[] = [];

/** The least a sender must do: try others at once, wait for capacity, give up on silence. */
export class BatchSender implements ClientCallHandler {
  readonly deliveries: Delivery[] = [];
  readonly waiting: Sent[] = [];
  inFlight = 0;
  private readonly rig: Rig;
  private readonly maxInFlight: number;

  constructor(rig: Rig, maxInFlight = 64) {
    this.rig = rig;
    this.maxInFlight = maxInFlight;
    rig.channel.subscribe(() => {
      this.pump();
    });
  }

  send(bytes: number, entries: number): void {
    this.waiting.push({ bytes, entries, createdMs: this.rig.clock.now(), excluded: new Set(), lease: null });
    this.pump();
  }

  onMessage(): void {
    // The reply of a batch is empty.
  }

  onStatus(call: ClientCall, status: Status): void {
    const sent = call.state as Sent;
    const isOk = status.code === 0;
    const lease = sent.lease!;
    const endpoint = lease.endpoint;
    const startedMs = (lease as unknown as { readonly startedMs: number }).startedMs;
    const { bytes: _bytes, entries, createdMs } = sent;
    const endedMs = this.rig.clock.now();
    this.deliveries.push({ endpoint: endpoint.address, entries, startedMs, endedMs, createdMs, isOk });
    this.inFlight--;
    sent.lease = null;
    if (!isOk) {
      sent.excluded.add(endpoint.id);
      this.waiting.unshift(sent);
    }
    lease.settle(isOk ? OUTCOME.ok : OUTCOME.endpointFailed, status);
    this.pump();
  }

  private pump(): void {
    while (this.waiting.length > 0 && this.inFlight < this.maxInFlight) {
      const sent = this.waiting[0]!;
      const { channel } = this.rig;
      const lease =
        channel.lease(sent.bytes, sent.entries, sent.excluded) ?? channel.lease(sent.bytes, sent.entries, null);
      if (lease === null) return;
      this.waiting.shift();
      this.open(sent, lease);
    }
  }

  private open(sent: Sent, lease: Lease): void {
    sent.lease = lease;
    const call = lease.openCall('/test', this, {})!;
    call.state = sent;
    this.inFlight++;
    call.sendMessage(NO_PARTS, sent.bytes);
    call.halfClose();
    this.rig.clock.setTimer(GIVE_UP_MS, () => {
      call.cancel('no answer');
    });
  }
}

export interface FleetSettings {
  readonly sources: number;
  readonly zipf: number;
  readonly entriesPerSecond: number;
  readonly entryBytes: number;
}

const TICK_MS = 10;
/** A batch leaves when it is this full, else when it is this old. */
const BATCH_BYTES = 1 << 20;
const LINGER_MS = 20;

/** Sources of very unequal rates, each with windows of a second, gathered into batches in the order they close. */
export class Fleet {
  private readonly rig: Rig;
  private readonly sender: BatchSender;
  private readonly settings: FleetSettings;
  private readonly rates: readonly number[];
  private readonly phases: readonly number[];
  private pendingEntries = 0;
  private pendingSinceMs = 0;

  constructor(rig: Rig, sender: BatchSender, settings: FleetSettings) {
    this.rig = rig;
    this.sender = sender;
    this.settings = settings;
    const weights = Array.from({ length: settings.sources }, (_, index) => Math.pow(index + 1, -settings.zipf));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    this.rates = weights.map((weight) => (settings.entriesPerSecond * weight) / total);
    this.phases = weights.map(() => Math.floor(rig.random() * (1_000 / TICK_MS)));
  }

  run(durationMs: number): void {
    const endMs = this.rig.clock.now() + durationMs;
    for (let tick = 0; this.rig.clock.now() < endMs; tick++) {
      for (let source = 0; source < this.rates.length; source++) {
        if (tick % (1_000 / TICK_MS) === this.phases[source]) this.close(this.rates[source]!);
      }
      if (this.pendingEntries > 0 && this.rig.clock.now() - this.pendingSinceMs >= LINGER_MS) this.flush();
      this.rig.clock.advance(TICK_MS);
    }
  }

  /** A window of one source closes; windows are bounded in bytes, so a hot source closes several. */
  private close(entries: number): void {
    const limit = BATCH_BYTES / 2 / this.settings.entryBytes;
    let left = Math.round(entries * (0.8 + 0.4 * this.rig.random()));
    while (left > 0) {
      const taken = Math.min(left, Math.floor(limit));
      left -= taken;
      if ((this.pendingEntries + taken) * this.settings.entryBytes > BATCH_BYTES) this.flush();
      if (this.pendingEntries === 0) this.pendingSinceMs = this.rig.clock.now();
      this.pendingEntries += taken;
    }
  }

  private flush(): void {
    const entries = this.pendingEntries;
    this.pendingEntries = 0;
    if (entries > 0) this.sender.send(entries * this.settings.entryBytes, entries);
  }
}

/** Entries that ended OK per endpoint, of batches started in a span of time. */
export function entriesByEndpoint(deliveries: readonly Delivery[], fromMs: number, toMs: number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const delivery of deliveries) {
    if (!delivery.isOk || delivery.startedMs < fromMs || delivery.startedMs >= toMs) continue;
    sums.set(delivery.endpoint, (sums.get(delivery.endpoint) ?? 0) + delivery.entries);
  }
  return sums;
}

/** The worst ratio of the busiest endpoint to the mean, over all windows of `windowMs`. */
export function worstMaxOverMean(
  deliveries: readonly Delivery[],
  endpoints: number,
  fromMs: number,
  toMs: number,
  windowMs: number,
): number {
  let worst = 0;
  for (let startMs = fromMs; startMs + windowMs <= toMs; startMs += 500) {
    const sums = [...entriesByEndpoint(deliveries, startMs, startMs + windowMs).values()];
    const mean = sums.reduce((sum, entries) => sum + entries, 0) / endpoints;
    worst = Math.max(worst, Math.max(...sums) / mean);
  }
  return worst;
}
