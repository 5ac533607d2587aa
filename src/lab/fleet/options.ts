/** What a simulated fleet does. All of it is bounded: by `seconds`, by `maxEntries`, by `maxBacklogBytes`. */
export interface FleetOptions {
  readonly host: string;
  readonly port: number;
  readonly envoys: number;
  /** Number of the first Envoy: fleets that share a judge must not overlap. */
  readonly firstEnvoy: number;
  readonly version: 'v2' | 'v3';
  /** Entries of all Envoys together. */
  readonly entriesPerSecond: number;
  /** A full message: 13 of Istio's entries are what makes Envoy exceed its `buffer_size_bytes` of 16,384 and flush. */
  readonly entriesPerMessage: number;
  readonly entryBytes: number;
  readonly identifierBytes: number;
  /** Exponent of Zipf's law; 0: all Envoys alike. */
  readonly zipfSkew: number;
  /** Share of the entries that come from the TCP logger, on a second stream of the same connection. */
  readonly tcpRatio: number;
  /** 2: an Envoy has an HTTP and a TCP logger, thus two streams. */
  readonly streamsPerConnection: 1 | 2;
  /** Worker threads of an Envoy, each with a connection of its own. */
  readonly connectionsPerEnvoy: number;
  /** A real Envoy flushes what it has each second; 0: full messages only, so that a bench knows their number. */
  readonly flushIntervalMs: number;
  /** Each stream sends a first message with one entry as soon as it is connected, whatever its rate. */
  readonly greet: boolean;
  /** The connections open evenly over this time. */
  readonly connectOverMs: number;
  /** Mean time between planned reconnects of one connection, at random; 0: never. */
  readonly reconnectEveryMs: number;
  readonly seconds: number;
  /** Ends the fleet's production early, once so many entries are sent. */
  readonly maxEntries: number;
  /** Messages a stream holds while it may not send; beyond it they are shed at the source, as Envoy does (at 16 MiB). */
  readonly maxBacklogBytes: number;
  /** How long `stop` waits for the answers of its half-closed streams. */
  readonly stopTimeoutMs: number;
  readonly seed: number;
}

export const DEFAULT_FLEET_OPTIONS: FleetOptions = {
  host: '127.0.0.1',
  port: 11800,
  envoys: 10,
  firstEnvoy: 0,
  version: 'v3',
  entriesPerSecond: 1000,
  entriesPerMessage: 13,
  entryBytes: 1270,
  identifierBytes: 2048,
  zipfSkew: 0,
  tcpRatio: 0,
  streamsPerConnection: 1,
  connectionsPerEnvoy: 1,
  flushIntervalMs: 1000,
  greet: false,
  connectOverMs: 500,
  reconnectEveryMs: 0,
  seconds: 10,
  maxEntries: Number.MAX_SAFE_INTEGER,
  maxBacklogBytes: 1024 * 1024,
  stopTimeoutMs: 5000,
  seed: 1,
};

/** What a fleet has done so far. Counts only grow. */
export interface FleetStats {
  readonly envoys: number;
  readonly connections: number;
  /** Streams open now. */
  readonly streams: number;
  readonly entries: number;
  readonly messages: number;
  /** Payload of the messages, identifiers and framing excluded. */
  readonly bytes: number;
  readonly identifierBytes: number;
  readonly firstMessages: number;
  /** Entries not made because their stream's backlog was full. */
  readonly shedEntries: number;
  readonly connects: number;
  readonly reconnects: number;
  readonly connectFailures: number;
  /** Connections the other side closed, and streams it ended before we did. */
  readonly lostConnections: number;
  readonly endedStreams: number;
  /** Messages that were waiting in a backlog when their stream went away: surely not delivered. */
  readonly abandonedMessages: number;
  /** Own CPU, user and system. @units milliseconds */
  readonly cpuMs: number;
  readonly isProducing: boolean;
}
