/** A channel without a network: endpoints whose answers a test decides. */
import type {
  CallOptions,
  ClientCall,
  ClientCallHandler,
  ClientConnection,
  Status,
} from '../../src/net/grpc/contract.js';
import type { Channel, EndpointView, Lease, Outcome } from '../../src/core/channel.js';
import { messageOf } from './als.js';

/** A status as a backend sends it. */
export function statusOf(code: number, options: Partial<Status> = {}): Status {
  return { code, message: '', trailers: [], isLocal: false, isUnprocessed: false, ...options };
}

export class FakeEndpoint implements EndpointView {
  readonly id: number;
  readonly address: string;
  isReady = true;
  /** Calls at once. */
  slots = Infinity;
  open = 0;
  /** Its last slot goes away between lease and call. */
  losesSlot = false;
  /** Clock time of the connection's last progress. */
  lastProgressMs = 0;
  /** Bytes that the connection keeps unsent; a number above 0 is a stall. */
  unsentBytes = 0;
  /** Decides at half-close; null leaves the call open for `call.answer`. */
  decide: (call: FakeClientCall) => Status | null = () => statusOf(0);
  /** All calls opened here, also ended ones. */
  readonly calls: FakeClientCall[] = [];
  readonly outcomes: Outcome[] = [];

  constructor(id: number) {
    this.id = id;
    this.address = `10.1.0.${id}:11800`;
  }
}

export class FakeClientCall implements ClientCall {
  readonly endpoint: FakeEndpoint;
  readonly path: string;
  readonly options: CallOptions;
  readonly messages: Uint8Array[] = [];
  headers: readonly string[] = [];
  isEnded = false;
  isHalfClosed = false;
  cancelReason: string | null = null;
  state: unknown = undefined;
  private readonly handler: ClientCallHandler;
  private readonly channel: FakeChannel;

  constructor(
    channel: FakeChannel,
    endpoint: FakeEndpoint,
    path: string,
    handler: ClientCallHandler,
    options: CallOptions,
  ) {
    this.channel = channel;
    this.endpoint = endpoint;
    this.path = path;
    this.handler = handler;
    this.options = options;
  }

  get connection(): ClientConnection {
    return { lastProgressMs: this.endpoint.lastProgressMs } as ClientConnection;
  }

  get unsentBytes(): number {
    return this.isEnded ? 0 : this.endpoint.unsentBytes;
  }

  sendMessage(parts: readonly Uint8Array[], length: number): void {
    const bytes = Buffer.concat(parts);
    if (bytes.length !== length) throw new Error(`length ${length} but ${bytes.length} bytes`);
    this.messages.push(bytes);
  }

  halfClose(): void {
    this.isHalfClosed = true;
    this.channel.onHalfClosed(this);
  }

  cancel(reason: string): void {
    if (this.isEnded) return;
    this.cancelReason = reason;
    this.end(statusOf(1, { isLocal: true, message: reason }));
  }

  // --- the backend's side ---

  reply(bytes: Uint8Array): void {
    this.handler.onMessage(this, messageOf(bytes));
  }

  answer(status: Status): void {
    this.end(status);
  }

  private end(status: Status): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.endpoint.open--;
    this.channel.onAnswer(this, status);
    this.handler.onStatus(this, status);
    this.channel.wake();
  }
}

export class FakeChannel implements Channel {
  metadata: readonly string[] = [];
  unaryTimeoutMs = 5000;
  streamTimeoutMs = 20_000;
  readonly all: FakeEndpoint[] = [];
  /** Sees how every call ends. */
  onAnswer: (call: FakeClientCall, status: Status) => void = () => {};
  private readonly listeners = new Set<() => void>();
  private readonly undecided: FakeClientCall[] = [];
  private nextId = 1;

  constructor(endpointCount: number) {
    for (let count = 0; count < endpointCount; count++) this.add();
  }

  add(): FakeEndpoint {
    const endpoint = new FakeEndpoint(this.nextId++);
    this.all.push(endpoint);
    return endpoint;
  }

  get calls(): FakeClientCall[] {
    return this.all.flatMap((endpoint) => endpoint.calls);
  }

  /** Calls open now. */
  get openCalls(): number {
    return this.all.reduce((sum, endpoint) => sum + endpoint.open, 0);
  }

  lease(_bytes: number, _entries: number, excluded: ReadonlySet<number> | null): Lease | null {
    const free = this.all.filter(
      (endpoint) => endpoint.isReady && endpoint.open < endpoint.slots && excluded?.has(endpoint.id) !== true,
    );
    const chosen = free.sort((a, b) => a.open - b.open || a.calls.length - b.calls.length)[0];
    return chosen === undefined ? null : this.leaseOn(chosen);
  }

  leaseForRelay(): Lease | null {
    const chosen = this.all.find((endpoint) => endpoint.isReady);
    return chosen === undefined ? null : this.leaseOn(chosen);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  endpoints(): readonly EndpointView[] {
    return this.all;
  }

  /** Tells the refused that a lease may be had. */
  wake(): void {
    for (const listener of this.listeners) listener();
  }

  onHalfClosed(call: FakeClientCall): void {
    this.undecided.push(call);
  }

  /** Lets the endpoints answer the calls that were half-closed, also those that follow from it. */
  settle(): void {
    for (let rounds = 0; this.undecided.length > 0; rounds++) {
      if (rounds > 100_000) throw new Error('calls never end');
      const call = this.undecided.shift()!;
      if (call.isEnded) continue;
      const status = call.endpoint.decide(call);
      if (status !== null) call.answer(status);
    }
  }

  private leaseOn(endpoint: FakeEndpoint): Lease {
    let isSettled = false;
    return {
      endpoint,
      openCall: (path, handler, options) => {
        if (endpoint.losesSlot || endpoint.open >= endpoint.slots) return null;
        endpoint.open++;
        const call = new FakeClientCall(this, endpoint, path, handler, options);
        endpoint.calls.push(call);
        return call;
      },
      settle: (outcome) => {
        if (isSettled) throw new Error('a lease was settled twice');
        isSettled = true;
        endpoint.outcomes.push(outcome);
      },
    };
  }
}
