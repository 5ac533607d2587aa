/** Simulated OAPs behind a fake dial: no sockets, all time from the simulated clock. */
import type { Random, SimulatedClock, Timer } from '../../../../src/base/index.js';
import type {
  CallOptions,
  ClientCall,
  ClientCallHandler,
  ClientConnection,
  ClientConnectionEvents,
  Status,
} from '../../../../src/net/grpc/contract.js';
import type { Dial, DialSettings, SocketAddress } from '../../../../src/net/socket/contract.js';
import type { ResolvedEndpoint } from '../../../../src/core/balance/index.js';

const UNAVAILABLE = 14;
const CANCELLED = 1;
const CONNECT_MS = 1;

export function status(code: number, isLocal = false): Status {
  return { code, message: code === 0 ? '' : `status ${code}`, trailers: [], isLocal, isUnprocessed: false };
}

export interface FakeOapBehaviour {
  /** Refuses connections. */
  isDown: boolean;
  maxConcurrentStreams: number;
  /** Fixed part of a call's time. */
  callMs: number;
  /** Time per megabyte. */
  megabyteMs: number;
  /** Service times vary by this ratio either way. */
  jitterRatio: number;
  /** Calls served at once; others wait. */
  workers: number;
  /** Never answers. */
  hangs: boolean;
  /** Answers every call with this status after `refusalMs`; 0: serves. */
  refusesWith: number;
  refusalMs: number;
}

const DEFAULTS: FakeOapBehaviour = {
  isDown: false,
  maxConcurrentStreams: Infinity,
  callMs: 4,
  megabyteMs: 20,
  jitterRatio: 0.3,
  workers: 16,
  hangs: false,
  refusesWith: 0,
  refusalMs: 1,
};

/** One OAP: counts what it gets, answers after a modelled time. */
export class FakeOap {
  readonly label: string;
  readonly behaviour: FakeOapBehaviour;
  readonly connections: FakeConnection[] = [];
  readonly clock: SimulatedClock;
  readonly random: Random;
  dials = 0;
  calls = 0;
  /** Calls open when each was served, itself included. */
  readonly openAtCall: number[] = [];
  readonly dialTimes: number[] = [];
  /** Settings of the last dial. */
  dialled: DialSettings | null = null;
  private busy = 0;
  private readonly waiting: FakeCall[] = [];

  constructor(label: string, clock: SimulatedClock, random: Random, behaviour: Partial<FakeOapBehaviour> = {}) {
    this.label = label;
    this.clock = clock;
    this.random = random;
    this.behaviour = { ...DEFAULTS, ...behaviour };
  }

  get openConnections(): readonly FakeConnection[] {
    return this.connections.filter((connection) => !connection.isClosed);
  }

  serve(call: FakeCall): void {
    this.calls++;
    this.openAtCall.push(this.openConnections.reduce((sum, connection) => sum + connection.calls.size, 0));
    const { hangs, refusesWith, refusalMs, workers } = this.behaviour;
    if (hangs) return;
    if (refusesWith !== 0) {
      call.timer = this.clock.setTimer(refusalMs, () => {
        call.end(status(refusesWith));
      });
    } else if (this.busy < workers) {
      this.work(call);
    } else {
      this.waiting.push(call);
    }
  }

  private work(call: FakeCall): void {
    const { callMs, megabyteMs, jitterRatio } = this.behaviour;
    const serviceMs = (callMs + (megabyteMs * call.bytes) / 1e6) * (1 + (this.random() * 2 - 1) * jitterRatio);
    this.busy++;
    call.timer = this.clock.setTimer(serviceMs, () => {
      this.busy--;
      const next = this.waiting.shift();
      if (next !== undefined) this.work(next);
      call.end(status(0));
    });
  }

  /** The process dies: connections break, nothing listens. */
  kill(): void {
    this.behaviour.isDown = true;
    for (const connection of this.openConnections) connection.break();
  }
}

export class FakeCall implements ClientCall {
  readonly connection: FakeConnection;
  readonly path: string;
  readonly options: CallOptions;
  readonly headers = [];
  isEnded = false;
  unsentBytes = 0;
  state: unknown = null;
  bytes = 0;
  timer: Timer | null = null;
  private readonly handler: ClientCallHandler;

  constructor(connection: FakeConnection, path: string, handler: ClientCallHandler, options: CallOptions) {
    this.connection = connection;
    this.path = path;
    this.handler = handler;
    this.options = options;
  }

  sendMessage(_parts: readonly Uint8Array[], length: number): void {
    this.bytes += length;
  }

  halfClose(): void {
    this.connection.oap.serve(this);
  }

  cancel(): void {
    this.end(status(CANCELLED, true));
  }

  end(result: Status): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.timer?.cancel();
    if (!result.isLocal) this.connection.lastProgressMs = this.connection.oap.clock.now();
    this.connection.calls.delete(this);
    this.handler.onStatus(this, result);
    this.connection.afterCall();
  }
}

export class FakeConnection implements ClientConnection {
  readonly oap: FakeOap;
  readonly calls = new Set<FakeCall>();
  lastProgressMs = 0;
  isConnected = false;
  isDraining = false;
  isClosed = false;
  private readonly events: ClientConnectionEvents;

  constructor(oap: FakeOap, events: ClientConnectionEvents) {
    this.oap = oap;
    this.events = events;
    oap.dials++;
    oap.dialTimes.push(oap.clock.now());
    oap.connections.push(this);
    oap.clock.setTimer(CONNECT_MS, () => {
      if (this.isClosed) return;
      if (oap.behaviour.isDown) {
        this.close(new Error(`${this.oap.label}: connection refused`));
        return;
      }
      this.isConnected = true;
      this.lastProgressMs = oap.clock.now();
      events.onReady(this);
    });
  }

  get isReady(): boolean {
    return this.isConnected && !this.isDraining && !this.isClosed;
  }

  get maxConcurrentStreams(): number {
    return this.oap.behaviour.maxConcurrentStreams;
  }

  get openStreams(): number {
    return this.calls.size;
  }

  get freeStreams(): number {
    return this.isReady ? Math.max(0, this.maxConcurrentStreams - this.calls.size) : 0;
  }

  openCall(path: string, handler: ClientCallHandler, options: CallOptions): FakeCall | null {
    if (this.freeStreams <= 0) return null;
    const call = new FakeCall(this, path, handler, options);
    this.calls.add(call);
    return call;
  }

  drain(): void {
    this.isDraining = true;
    this.afterCall();
  }

  destroy(): void {
    this.close(null);
  }

  afterCall(): void {
    if (this.isReady) this.events.onFreeStream(this);
    else if (this.isDraining && this.calls.size === 0) this.close(null);
  }

  /** The peer says GOAWAY. */
  goAway(): void {
    this.isDraining = true;
    this.events.onDraining(this, 'GOAWAY');
    this.afterCall();
  }

  /** The peer vanishes. */
  break(): void {
    this.close(new Error('connection reset'));
  }

  private close(error: Error | null): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const call of [...this.calls]) call.end(status(UNAVAILABLE, true));
    this.events.onClosed(this, error);
  }
}

/** Several OAPs reachable by their labels. */
export class FakeNetwork {
  readonly oaps = new Map<string, FakeOap>();
  private readonly clock: SimulatedClock;
  private readonly random: Random;

  constructor(clock: SimulatedClock, random: Random) {
    this.clock = clock;
    this.random = random;
  }

  add(label: string, behaviour: Partial<FakeOapBehaviour> = {}): FakeOap {
    const oap = new FakeOap(label, this.clock, this.random, behaviour);
    this.oaps.set(label, oap);
    return oap;
  }

  readonly dial: Dial = (address: SocketAddress, settings: DialSettings, events: ClientConnectionEvents) => {
    const oap = this.oaps.get(labelOf(address))!;
    oap.dialled = settings;
    return new FakeConnection(oap, events);
  };
}

function labelOf(address: SocketAddress): string {
  return address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
}

export function resolved(label: string): ResolvedEndpoint {
  const [host, port] = label.split(':') as [string, string];
  return { address: { kind: 'tcp', host, port: Number(port) }, label, authority: label, serverName: null };
}
