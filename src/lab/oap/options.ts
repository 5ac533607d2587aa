/** How a fake OAP behaves. All but `host`, `port` and `maxConcurrentStreams` can be changed while it runs. */
export interface OapOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** OAP 8.9 to 9.7 allow 4 concurrent calls per connection; 0: no limit. */
  readonly maxConcurrentStreams: number;
  /** From half-close to answer. @units ms */
  readonly delayMs: number;
  /** Added to the delay, uniformly up to this. @units ms */
  readonly jitterMs: number;
  /** What one OAP works off; answers queue up behind each other. 0: no limit. */
  readonly bytesPerSecond: number;
  /** Multiplies delay and jitter and divides the speed: 5 is an OAP five times slower. */
  readonly slowFactor: number;
  /** Takes messages no faster than HTTP/2's windows force it to: gives no stream credit back. */
  readonly stall: boolean;
  /** Reads everything and never answers. */
  readonly neverAnswer: boolean;
  /** gRPC status of the calls that fail. */
  readonly failStatus: number;
  readonly failMessage: string;
  /** The next so many calls fail. */
  readonly failCalls: number;
  /** Probability that any other call fails; 1: all. */
  readonly failRatio: number;
  /** Refuse a call at its start, or after its half-close. */
  readonly failAt: 'start' | 'end';
  /** Metadata `authentication` that callers must send; empty: none. */
  readonly token: string;
  /** 'full': every entry's number plate is read and booked; 'count': the first of each message, for latency. */
  readonly check: 'full' | 'count';
  /** Bodies of messages outside ALS that are kept for tests, the latest of each path. */
  readonly keepMessages: number;
  /** File that every accepted entry (check 'full') is written to before the answer; empty: none. */
  readonly journal: string;
  /** What the SkyWalking services answer. */
  readonly reply: Uint8Array;
  readonly seed: number;
}

export const DEFAULT_OAP_OPTIONS: OapOptions = {
  host: '127.0.0.1',
  port: 0,
  maxConcurrentStreams: 0,
  delayMs: 0,
  jitterMs: 0,
  bytesPerSecond: 0,
  slowFactor: 1,
  stall: false,
  neverAnswer: false,
  failStatus: 14,
  failMessage: 'simulated failure',
  failCalls: 0,
  failRatio: 0,
  failAt: 'end',
  token: '',
  check: 'full',
  keepMessages: 0,
  journal: '',
  reply: new Uint8Array(0),
  seed: 1,
};

/** What a fake OAP has seen. Counts only grow; `accepted…` counts calls answered OK, the others all that came. */
export interface OapStats {
  readonly port: number;
  readonly calls: number;
  readonly openCalls: number;
  readonly acceptedCalls: number;
  readonly failedCalls: number;
  /** Ended by the caller or by its connection before our answer. */
  readonly cancelledCalls: number;
  readonly messages: number;
  readonly entries: number;
  /** Payload of messages, identifiers included. */
  readonly bytes: number;
  readonly acceptedMessages: number;
  readonly acceptedEntries: number;
  readonly acceptedBytes: number;
  readonly identifiers: number;
  readonly identifierBytes: number;
  /** Messages before any identifier of their call: a real OAP cannot tell whose they are. */
  readonly messagesWithoutIdentity: number;
  readonly malformedMessages: number;
  /** Entries booked (check 'full') under another Envoy than the one that wrote them. */
  readonly misplacedEntries: number;
  /** Accepted more than once by this OAP. */
  readonly doubledEntries: number;
  /** Entries without a number plate of ours (a real Envoy's). */
  readonly foreignEntries: number;
  readonly otherMessages: number;
  /** From the entry's making to its arrival here, sampled once a message. @units ms */
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  /** Mergeable form of the same (`LatencyHistogram`). */
  readonly latency: Uint32Array;
  /** Own CPU, user and system. @units milliseconds */
  readonly cpuMs: number;
}
