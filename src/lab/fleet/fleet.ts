/** A simulated fleet of Envoys: who sends how much and when. Its sockets and streams are in the files beside this one. */
import { type Clock, createSeededRandom, type Random, systemClock } from '../../base/index.js';
import type { LoggerKind } from './access-log-entry.js';
import { EnvoyConnection } from './envoy-connection.js';
import { createFleetCounters } from './fleet-counters.js';
import { IdentityEncoder } from './identity.js';
import { Envoy, LogStream } from './log-stream.js';
import { TemplatePool } from './message-template.js';
import { DEFAULT_FLEET_OPTIONS, type FleetOptions, type FleetStats } from './options.js';
import { zipfShares } from './zipf.js';

/** How finely the load is spread over time. @units ms */
const TICK_MS = 5;
/** A pause of the process is made up for, but not in one burst larger than this. @units ms */
const MAX_STEP_MS = 250;
/** A lost connection is tried again at the next flush, as Envoy does. @units ms */
const RETRY_MS = 1000;
/** From FIN to destruction. @units ms */
const CLOSE_MS = 2000;
/** Production is bounded whatever is asked. @units s */
const MAX_SECONDS = 24 * 3600;

/** A running fleet. */
export interface Fleet {
  stats(): FleetStats;
  /** Entries each Envoy has made, by its number: sequence numbers run from 1 to this. */
  entriesByEnvoy(): ReadonlyMap<number, number>;
  /** Changes the rate of the whole fleet. */
  setRate(entriesPerSecond: number): void;
  /** Reconnects every connection, spread evenly over `overMs`. */
  reconnectAll(overMs: number): void;
  /** Ends production, half-closes the streams, waits for their answers (bounded), closes. Idempotent. */
  stop(): Promise<FleetStats>;
  /** Resolves when production has ended and all is closed. */
  readonly done: Promise<FleetStats>;
}

/**
 * Starts at once; production ends after `seconds`, at `maxEntries`, or by `stop`. Only its open connections keep the
 * process alive.
 */
export function startFleet(options: Partial<FleetOptions>, clock: Clock = systemClock): Fleet {
  return new RunningFleet({ ...DEFAULT_FLEET_OPTIONS, ...options }, clock);
}

class RunningFleet implements Fleet {
  readonly done: Promise<FleetStats>;
  private readonly options: FleetOptions;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly counters = createFleetCounters();
  private readonly envoys: Envoy[] = [];
  private readonly connections: EnvoyConnection[] = [];
  private readonly cpuAtStart = process.cpuUsage();
  private lastTickMs: number;
  private readonly endMs: number;
  private isProducing = true;
  /** Infinity until production ends; then when answers are no longer waited for. */
  private stopAtMs = Infinity;
  private isClosing = false;
  private resolveDone: (stats: FleetStats) => void = () => undefined;

  constructor(options: FleetOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.random = createSeededRandom(options.seed);
    this.lastTickMs = clock.now();
    this.endMs = this.lastTickMs + Math.min(options.seconds, MAX_SECONDS) * 1000;
    this.done = new Promise((resolve) => {
      this.resolveDone = resolve;
    });
    this.build();
    this.arm();
  }

  stats(): FleetStats {
    const cpu = process.cpuUsage(this.cpuAtStart);
    return {
      ...this.counters,
      envoys: this.envoys.length,
      cpuMs: (cpu.user + cpu.system) / 1000,
      isProducing: this.isProducing,
    };
  }

  entriesByEnvoy(): ReadonlyMap<number, number> {
    return new Map(this.envoys.map((envoy) => [envoy.index, envoy.lastSequence]));
  }

  setRate(entriesPerSecond: number): void {
    const ratio = entriesPerSecond / Math.max(1, this.currentRate());
    for (const connection of this.connections) for (const stream of connection.streams) stream.rate *= ratio;
  }

  reconnectAll(overMs: number): void {
    const now = this.clock.now();
    this.connections.forEach((connection, index) => {
      connection.reconnectAtMs = now + (overMs * index) / this.connections.length;
    });
  }

  stop(): Promise<FleetStats> {
    this.endProduction(this.clock.now());
    return this.done;
  }

  // --- building ---

  private build(): void {
    const { options } = this;
    const identities = new IdentityEncoder(options.identifierBytes);
    const makeIdentifier = (envoy: number, kind: LoggerKind): Uint8Array =>
      identities.encode(envoy, kind === 'http' ? 'http_envoy_accesslog' : 'tcp_envoy_accesslog');
    const httpPool = new TemplatePool('http', options.entryBytes);
    const tcpPool = new TemplatePool('tcp', options.entryBytes);
    const shares = zipfShares(options.envoys, options.zipfSkew);
    const total = options.envoys * options.connectionsPerEnvoy;
    const onConnected = this.onConnected.bind(this);
    const onDisconnected = this.onDisconnected.bind(this);
    for (let number = 0; number < options.envoys; number++) {
      const envoy = new Envoy(options.firstEnvoy + number);
      this.envoys.push(envoy);
      const rate = (shares[number]! * options.entriesPerSecond) / 1000 / options.connectionsPerEnvoy;
      for (let worker = 0; worker < options.connectionsPerEnvoy; worker++) {
        const connection = new EnvoyConnection(options, this.counters, onConnected, onDisconnected);
        const addStream = (kind: LoggerKind, pool: TemplatePool, streamRate: number): void => {
          connection.streams.push(
            new LogStream(connection, envoy, kind, streamRate, pool, this.counters, options, makeIdentifier),
          );
        };
        const tcpRatio = options.streamsPerConnection === 2 ? options.tcpRatio : 0;
        addStream('http', httpPool, rate * (1 - tcpRatio));
        if (options.streamsPerConnection === 2) addStream('tcp', tcpPool, rate * tcpRatio);
        for (const stream of connection.streams) {
          // Random phases: neither messages nor flushes of different Envoys come in step.
          stream.due = this.random() * options.entriesPerMessage * (stream.rate > 0 ? 1 : 0);
          stream.nextFlushMs = this.lastTickMs + this.random() * options.flushIntervalMs;
        }
        connection.connectAtMs = this.lastTickMs + (options.connectOverMs * this.connections.length) / total;
        this.connections.push(connection);
      }
    }
  }

  private currentRate(): number {
    let rate = 0;
    for (const connection of this.connections) for (const stream of connection.streams) rate += stream.rate;
    return rate * 1000;
  }

  // --- running ---

  private arm(): void {
    this.clock.setTimer(TICK_MS, () => {
      this.tick();
    });
  }

  private tick(): void {
    const now = this.clock.now();
    const stepMs = Math.min(now - this.lastTickMs, MAX_STEP_MS);
    this.lastTickMs = now;
    if (this.isProducing && (now >= this.endMs || this.counters.entries >= this.options.maxEntries)) {
      this.endProduction(now);
    }
    const wallMs = this.clock.wallNow();
    let openConnections = 0;
    for (let index = 0; index < this.connections.length; index++) {
      const connection = this.connections[index]!;
      if (connection.isConnected) {
        // Streams that are ending take no more messages.
        if (now >= connection.reconnectAtMs) this.reconnect(connection, now);
        else if (this.isProducing) this.produce(connection, stepMs, now, wallMs);
      } else if (connection.isIdle) {
        if (this.isProducing && now >= connection.connectAtMs) connection.connect();
      } else if (now >= connection.destroyAtMs) connection.destroy();
      if (!connection.isIdle) openConnections++;
    }
    if (!this.isProducing && this.finishClosing(now, openConnections)) return;
    this.arm();
  }

  private produce(connection: EnvoyConnection, stepMs: number, now: number, wallMs: number): void {
    const { entriesPerMessage, flushIntervalMs } = this.options;
    for (let index = 0; index < connection.streams.length; index++) {
      const stream = connection.streams[index]!;
      stream.due += stream.rate * stepMs;
      while (stream.due >= entriesPerMessage) {
        stream.due -= entriesPerMessage;
        stream.send(entriesPerMessage, wallMs);
      }
      if (flushIntervalMs > 0 && now >= stream.nextFlushMs) {
        stream.nextFlushMs = now + flushIntervalMs;
        const entries = Math.floor(stream.due);
        if (entries > 0) {
          stream.due -= entries;
          stream.send(entries, wallMs);
        }
      }
    }
  }

  private onConnected(connection: EnvoyConnection): void {
    connection.reconnectAtMs = this.nextReconnectMs();
    if (this.options.greet) for (const stream of connection.streams) stream.send(1, this.clock.wallNow());
  }

  private onDisconnected(connection: EnvoyConnection, isPlanned: boolean): void {
    connection.connectAtMs = isPlanned ? 0 : this.clock.now() + RETRY_MS * (0.5 + this.random());
  }

  private nextReconnectMs(): number {
    const mean = this.options.reconnectEveryMs;
    return mean === 0 ? Infinity : this.clock.now() - mean * Math.log(1 - this.random());
  }

  /** As an orderly restart: streams end at a message boundary, then FIN; nothing that was sent is taken back. */
  private reconnect(connection: EnvoyConnection, now: number): void {
    connection.halfCloseStreams();
    if (connection.streams.some((stream) => stream.hasBacklog) && now < connection.reconnectAtMs + CLOSE_MS) return;
    connection.reconnectAtMs = Infinity;
    this.counters.reconnects++;
    connection.finish(now + CLOSE_MS);
  }

  // --- ending ---

  private endProduction(now: number): void {
    if (!this.isProducing) return;
    this.isProducing = false;
    this.stopAtMs = now + this.options.stopTimeoutMs;
    for (const connection of this.connections) connection.halfCloseStreams();
  }

  /** @returns true when all is over. */
  private finishClosing(now: number, openConnections: number): boolean {
    if (!this.isClosing) {
      if (this.counters.streams > 0 && now < this.stopAtMs) return false;
      this.isClosing = true;
      for (const connection of this.connections) connection.finish(now + CLOSE_MS);
      return false;
    }
    if (openConnections > 0) return false;
    this.resolveDone(this.stats());
    return true;
  }
}
