/** The original's metrics of access-log streams, with series that stay bounded. */
import type { StreamObserver } from '../pipe/contract.js';
import type { Counter, MetricDefinition, Metrics } from '../telemetry.js';

const RECEIVE_LABELS = ['version', 'peer_host'];

function counter(name: string, help: string, labels: readonly string[]): MetricDefinition {
  return { name, type: 'counter', help, labels, stability: 'original' };
}

export const ALS_METRICS = {
  received: counter('als_streaming_receive_count', 'Access-log messages received.', RECEIVE_LABELS),
  failed: counter(
    'als_streaming_receive_failed_count',
    'Streams that were cut, and messages refused. The normal end of a stream does not count.',
    RECEIVE_LABELS,
  ),
  toEvent: counter('als_streaming_to_event_count', 'Windows that became events.', RECEIVE_LABELS),
  active: {
    name: 'als_streaming_active_count',
    type: 'gauge',
    help: 'Open access-log streams.',
    labels: RECEIVE_LABELS,
    stability: 'original',
  },
  eventReady: counter('als_event_ready_send', 'Events entering a call.', []),
  eventFinished: counter('als_event_send_finished', 'Events acknowledged, by backend host.', ['target']),
  messageReady: counter('als_streaming_ready_send', 'Messages entering a call.', []),
  messageFinished: counter('als_streaming_send_finished', 'Messages acknowledged, by backend host.', ['target']),
  connectSum: counter(
    'als_forward_connect_time_sum',
    'Milliseconds that calls waited to be opened: always 0, as they use connections that are ready.',
    [],
  ),
  connectCount: counter('als_forward_connect_time_count', 'Calls opened.', []),
  sendSum: counter('als_forward_send_time_sum', 'Milliseconds spent handing batches to their connections.', []),
  sendCount: counter('als_forward_send_time_count', 'Batches handed to a connection.', []),
  closeSum: counter(
    'als_forward_close_time_sum',
    'Milliseconds from the opening of calls to their acknowledgement.',
    [],
  ),
  closeCount: counter('als_forward_close_time_count', 'Calls acknowledged.', []),
} as const satisfies Record<string, MetricDefinition>;

/** `peer_host` of all sources together, when they are not told apart. */
const ALL_PEERS = 'all';

/** The handles of one peer, or of all. */
class PeerCounters {
  readonly received: Counter;
  readonly failed: Counter;
  readonly toEvent: Counter;
  active = 0;
  readonly remove: () => void;
  readonly host: string;

  constructor(metrics: Metrics, version: string, host: string) {
    const labels = { version, peer_host: host };
    this.host = host;
    this.received = metrics.counter(ALS_METRICS.received, labels);
    this.failed = metrics.counter(ALS_METRICS.failed, labels);
    this.toEvent = metrics.counter(ALS_METRICS.toEvent, labels);
    this.remove = metrics.gauge(ALS_METRICS.active, labels, () => this.active);
  }
}

/** Counts the streams of one receiver; by peer only when asked to, and then until the peer's last stream ends. */
export class AlsObserver implements StreamObserver {
  private readonly metrics: Metrics;
  private readonly version: string;
  private readonly all: PeerCounters | null;
  private readonly peers = new Map<string, PeerCounters>();

  constructor(metrics: Metrics, version: string, isByPeer: boolean) {
    this.metrics = metrics;
    this.version = version;
    this.all = isByPeer ? null : new PeerCounters(metrics, version, ALL_PEERS);
  }

  onOpen(peerHost: string): PeerCounters {
    const counters = this.all ?? this.peerOf(peerHost);
    counters.active++;
    return counters;
  }

  onMessage(handle: unknown): void {
    (handle as PeerCounters).received.value++;
  }

  onFailed(handle: unknown): void {
    (handle as PeerCounters).failed.value++;
  }

  onEvent(handle: unknown): void {
    (handle as PeerCounters).toEvent.value++;
  }

  onClose(handle: unknown): void {
    const counters = handle as PeerCounters;
    counters.active--;
    if (counters === this.all || counters.active > 0) return;
    this.peers.delete(counters.host);
    counters.remove();
    this.metrics.forget({ version: this.version, peer_host: counters.host });
  }

  private peerOf(host: string): PeerCounters {
    let counters = this.peers.get(host);
    if (counters === undefined) {
      counters = new PeerCounters(this.metrics, this.version, host);
      this.peers.set(host, counters);
    }
    return counters;
  }
}
