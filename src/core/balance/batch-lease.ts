/** HOT. The right to one call: see `Lease`. */
import { BUG, SatelliteError } from '../../base/index.js';
import type { CallOptions, ClientCall, ClientCallHandler, ClientConnection, Status } from '../../net/grpc/contract.js';
import type { HeaderFields } from '../../net/http2/contract.js';
import type { Lease, Outcome } from '../channel.js';
import type { Endpoint } from './endpoint.js';
import type { OutstandingBatch } from './endpoint-load.js';

export class BatchLease implements Lease, OutstandingBatch {
  readonly endpoint: Endpoint;
  readonly bytes: number;
  readonly entries: number;
  readonly isRelay: boolean;
  readonly isProbe: boolean;
  readonly startedMs: number;
  previous: OutstandingBatch | null = null;
  next: OutstandingBatch | null = null;
  /** Of the call opened last. */
  connection: ClientConnection | null = null;
  private readonly metadata: HeaderFields;
  /** The slot is promised and not used yet. */
  private holdsSlot = true;
  private isSettled = false;

  constructor(
    endpoint: Endpoint,
    bytes: number,
    entries: number,
    isRelay: boolean,
    isProbe: boolean,
    startedMs: number,
    metadata: HeaderFields,
  ) {
    this.endpoint = endpoint;
    this.bytes = bytes;
    this.entries = entries;
    this.isRelay = isRelay;
    this.isProbe = isProbe;
    this.startedMs = startedMs;
    this.metadata = metadata;
    endpoint.begin(this);
  }

  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null {
    this.releaseSlot();
    const call = this.endpoint.subchannel.openCall(path, handler, this.withMetadata(options));
    if (call !== null) this.connection = call.connection;
    return call;
  }

  settle(outcome: Outcome, status: Status | null): void {
    if (this.isSettled) throw new SatelliteError(BUG, `a lease on ${this.endpoint.address} was settled twice`);
    this.isSettled = true;
    this.releaseSlot();
    this.endpoint.end(this, outcome, status);
  }

  private releaseSlot(): void {
    if (!this.holdsSlot) return;
    this.holdsSlot = false;
    this.endpoint.subchannel.releaseSlot();
  }

  private withMetadata(options: CallOptions): CallOptions {
    // A caller that passes the channel's own metadata means the same thing.
    if (this.metadata.length === 0 || options.metadata === this.metadata) return options;
    const metadata = options.metadata === undefined ? this.metadata : [...this.metadata, ...options.metadata];
    return { ...options, metadata };
  }
}
