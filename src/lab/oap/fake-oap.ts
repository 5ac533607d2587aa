/** A fake OAP that listens: services, options, books, and a switch to be dead for a while. */
import { type Clock, systemClock, TimerWheel } from '../../base/index.js';
import { GrpcServer, ReassemblyMeter } from '../../net/grpc/index.js';
import { listen, type Listener } from '../../net/socket/index.js';
import { LatencyHistogram } from '../latency-histogram.js';
import { AlsService } from './als-service.js';
import { AnswerDesk } from './answer-desk.js';
import { OapBooks, type NodeReport } from './oap-books.js';
import { OapJournal } from './oap-journal.js';
import { createOapCounters } from './oap-counters.js';
import { DEFAULT_OAP_OPTIONS, type OapOptions, type OapStats } from './options.js';
import { OAP_ALS_PATHS, OAP_SKYWALKING_PATHS } from './paths.js';
import { SkywalkingService, type KeptMessage } from './skywalking-service.js';

/** OAP's own limit (`grpc.maxMessageSize`). @units bytes */
const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
/** All incomplete messages together; a satellite's batches are 1 MiB. @units bytes */
const MAX_REASSEMBLY_BYTES = 1024 * 1024 * 1024;
/** HTTP/2 has no "no limit" but its largest number. */
const NO_STREAM_LIMIT = 0x7fffffff;
const SETUP_TIMEOUT_MS = 10_000;

/** A running fake OAP. */
export interface FakeOap {
  /** Stays the same through `kill` and `revive`. */
  readonly port: number;
  /** `host:port` */
  readonly address: string;
  stats(): OapStats;
  /** What was accepted, node by node. */
  books(): NodeReport[];
  /** Messages of the SkyWalking services, if `keepMessages` asks for them. */
  keptMessages(): readonly KeptMessage[];
  set(changes: Partial<OapOptions>): void;
  /** Starts the latency figures anew. */
  resetLatency(): void;
  /** Closes its port and all connections at once, as a crash does; its books survive. Idempotent. */
  kill(): Promise<void>;
  /** Listens on the same port again. */
  revive(): Promise<void>;
  /** Ends it for good. Idempotent. */
  close(): Promise<void>;
}

export async function startFakeOap(options: Partial<OapOptions> = {}, clock: Clock = systemClock): Promise<FakeOap> {
  const oap = new ListeningOap({ ...DEFAULT_OAP_OPTIONS, ...options }, clock);
  await oap.revive();
  return oap;
}

class ListeningOap implements FakeOap {
  port: number;
  private readonly options: OapOptions;
  private readonly clock: Clock;
  private readonly counters = createOapCounters();
  private readonly accepted = new OapBooks();
  private readonly latency = new LatencyHistogram();
  private readonly desk: AnswerDesk;
  private readonly server: GrpcServer;
  private readonly skywalking: SkywalkingService;
  private readonly cpuAtStart = process.cpuUsage();
  private listener: Listener | null = null;

  constructor(options: OapOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.port = options.port;
    this.desk = new AnswerDesk(options, clock);
    this.server = new GrpcServer({
      clock,
      wheel: new TimerWheel(clock),
      meter: new ReassemblyMeter(MAX_REASSEMBLY_BYTES, null),
      maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
      onHandlerError: (path, error) => {
        throw new Error(`the fake OAP failed at ${path}`, { cause: error });
      },
      onUnknownMethod: () => undefined,
    });
    const journal = options.journal === '' ? null : new OapJournal(options.journal);
    const als = new AlsService(this.desk, clock, this.counters, this.accepted, this.latency, journal);
    for (const path of OAP_ALS_PATHS) this.server.register(path, als);
    this.skywalking = new SkywalkingService(this.desk, this.counters);
    for (const path of OAP_SKYWALKING_PATHS) this.server.register(path, this.skywalking);
  }

  get address(): string {
    return `${this.options.host}:${this.port}`;
  }

  stats(): OapStats {
    const cpu = process.cpuUsage(this.cpuAtStart);
    return {
      ...this.counters,
      port: this.port,
      latencyP50Ms: this.latency.percentile(0.5),
      latencyP99Ms: this.latency.percentile(0.99),
      latency: this.latency.toCounts(),
      cpuMs: (cpu.user + cpu.system) / 1000,
    };
  }

  books(): NodeReport[] {
    return this.accepted.toReport();
  }

  keptMessages(): readonly KeptMessage[] {
    return this.skywalking.kept;
  }

  set(changes: Partial<OapOptions>): void {
    this.desk.set(changes);
  }

  resetLatency(): void {
    this.latency.reset();
  }

  async revive(): Promise<void> {
    if (this.listener !== null) return;
    const { host, maxConcurrentStreams } = this.options;
    this.listener = await listen(
      {
        clock: this.clock,
        address: { kind: 'tcp', host, port: this.port },
        tls: null,
        maxConcurrentStreams: maxConcurrentStreams === 0 ? NO_STREAM_LIMIT : maxConcurrentStreams,
        refuse: () => null,
        setupTimeoutMs: SETUP_TIMEOUT_MS,
        idleTimeoutMs: 0,
        keepaliveTimeMs: 0,
        keepaliveTimeoutMs: 0,
        tcpKeepaliveMs: 0,
        http1Hint: 'This is a simulated OAP; it speaks gRPC only.',
        events: {
          onRefused: () => undefined,
          onConnectionError: () => undefined,
          onBug: (error) => {
            throw error;
          },
          onListenerError: (error) => {
            throw error;
          },
        },
      },
      this.server,
    );
    this.port = this.listener.port;
  }

  async kill(): Promise<void> {
    const { listener } = this;
    this.listener = null;
    await listener?.close();
  }

  close(): Promise<void> {
    return this.kill();
  }
}
