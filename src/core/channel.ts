/**
 * The contract between a client plugin (which knows endpoints) and the senders and relays (which have something to
 * send). Implemented in core/balance.
 */
import type { CallOptions, ClientCall, ClientCallHandler, Status } from '../net/grpc/contract.js';

/** What became of a leased call, for the balancer. */
export const OUTCOME = {
  /** Status OK: `elapsedMs` and bytes feed the endpoint's load figure. */
  ok: 0,
  /** The endpoint is at fault (unreachable, refusing, silent): counts towards ejection. */
  endpointFailed: 1,
  /** Neither: the data was refused, the call was cancelled by us. */
  neutral: 2,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** One endpoint as senders see it. */
export interface EndpointView {
  /** Small integer, unique in the process, never reused: for exclusion sets. */
  readonly id: number;
  /** `host:port`, for metrics and logs. */
  readonly address: string;
  /** Time of the last sign of life on the connection that the call is on is asked from the call's connection instead. */
  readonly isReady: boolean;
}

/** The right to one call on one endpoint. `settle` exactly once, after the call ended or failed to open. */
export interface Lease {
  readonly endpoint: EndpointView;
  /** Opens the call on a connection of the endpoint; null when its last slot went away meanwhile. */
  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null;
  /** Bytes and `entries` are what the batch weighed; the balancer keeps in-flight bytes and shares with them. */
  settle(outcome: Outcome, status: Status | null): void;
}

/** A balanced logical connection to one service. */
export interface Channel {
  /**
   * Chooses the endpoint with least to do for a batch of `bytes` / `entries`.
   * `excluded`: endpoint ids not wanted (already tried for this batch); they are taken only if `excluded` is null.
   * @returns null when no endpoint is ready with a free slot (outside `excluded`); the caller waits for `subscribe`.
   */
  lease(bytes: number, entries: number, excluded: ReadonlySet<number> | null): Lease | null;
  /** Like `lease`, from the slot kept free for synchronous relays. */
  leaseForRelay(): Lease | null;
  /** Calls `listener` whenever a lease that was refused might now be given. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
  /** Endpoints known now. */
  endpoints(): readonly EndpointView[];
  /** Header fields for every outgoing call (authentication). Flat, lower case. */
  readonly metadata: readonly string[];
  /** Deadlines of the configuration. */
  readonly unaryTimeoutMs: number;
  readonly streamTimeoutMs: number;
}
