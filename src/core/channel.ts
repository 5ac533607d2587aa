/**
 * The contract between a client plugin (which knows endpoints) and the senders and relays (which have something to
 * send). Implemented in core/balance.
 */
import type { CallOptions, ClientCall, ClientCallHandler, Status } from '../net/grpc/contract.js';

/** What became of a leased call, for the balancer. */
export const OUTCOME = {
  /** Status OK: the elapsed time and the bytes feed the endpoint's load figure. */
  ok: 0,
  /** The endpoint is at fault (unreachable, refusing, overloaded, silent): counts towards ejection. */
  endpointFailed: 1,
  /**
   * Tells nothing about the endpoint's health: the data was refused, the endpoint does not know this kind
   * (UNIMPLEMENTED: others may be fine there), we gave up for a reason of ours.
   */
  neutral: 2,
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** One endpoint as senders see it. */
export interface EndpointView {
  /** Small integer, unique in the process, never reused: for exclusion sets. */
  readonly id: number;
  /** `host:port`, `[v6]:port` or `unix:path`: for metrics and logs. */
  readonly address: string;
  /** Connected and not ejected. It may still have no free slot. */
  readonly isReady: boolean;
}

/**
 * The right to one call on one endpoint. `settle` exactly once, after the call ended or failed to open.
 * @order `settle` may call listeners of `subscribe` before it returns: have your own state consistent first.
 */
export interface Lease {
  readonly endpoint: EndpointView;
  /**
   * Opens the call on a connection of the endpoint, with the channel's `metadata` put before that of `options`.
   * @returns null when the endpoint's last slot went away meanwhile: settle as `neutral` and lease again.
   */
  openCall(path: string, handler: ClientCallHandler, options: CallOptions): ClientCall | null;
  /**
   * `status` is what the call ended with, null when it was never opened. A call given up by us for want of an answer is
   * `endpointFailed` with its local status: a connection on which nothing moves is then replaced.
   * @throws SAT_BUG when settled before.
   */
  settle(outcome: Outcome, status: Status | null): void;
}

/** A balanced logical connection to one service. */
export interface Channel {
  /**
   * Chooses the endpoint with least to do for a batch of `bytes` / `entries`; its call time runs from now on.
   * `excluded`: endpoint ids not wanted (already tried for this batch); they are taken only if `excluded` is null.
   * @returns null when no endpoint is ready with a free slot (outside `excluded`); the caller waits for `subscribe`. What
   * it does not learn that way is that its own exclusions have become too many.
   */
  lease(bytes: number, entries: number, excluded: ReadonlySet<number> | null): Lease | null;
  /** Like `lease`, from the slot kept free for synchronous relays. Refusals are not followed by a call of listeners. */
  leaseForRelay(): Lease | null;
  /**
   * Calls `listener` whenever a lease that was refused might now be given: once for all refusals before it. It may be
   * called from inside `settle` and from connection events, so it must stand being entered again. Returns the unsubscriber.
   */
  subscribe(listener: () => void): () => void;
  /** Endpoints known now. Read-only; a new list after each change. */
  endpoints(): readonly EndpointView[];
  /** Header fields of every outgoing call (authentication); `openCall` adds them by itself. Flat, lower case. */
  readonly metadata: readonly string[];
  /** Deadlines of the configuration. */
  readonly unaryTimeoutMs: number;
  readonly streamTimeoutMs: number;
}
