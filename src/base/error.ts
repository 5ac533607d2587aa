/** How far the damage of an error reaches, thus what must be closed. */
export type ErrorScope = 'message' | 'call' | 'connection' | 'endpoint' | 'partition' | 'pipe' | 'process';
/** By whose fault: configuration or caller, our code or limits, the peer, or the operating system. */
export type ErrorOrigin = 'user' | 'local' | 'remote' | 'system';
/** What happens next. */
export type ErrorDisposition = 'retry' | 'retry-after' | 'requeue' | 'reject' | 'drop' | 'fatal';

/** One row of an error table; docs/errors.md is generated from these. */
export interface ErrorKind {
  /** Stable name, `SAT_<FAMILY>_<NAME>`. */
  readonly code: string;
  readonly scope: ErrorScope;
  readonly origin: ErrorOrigin;
  readonly disposition: ErrorDisposition;
  /** One sentence for the documentation: when it happens and what to do. */
  readonly doc: string;
}

/** What an error may carry beside its kind. */
export interface ErrorDetails {
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
  readonly grpcStatus?: number;
}

/** Any other failure that reached us wrapped: a bug, or a library's own error. */
export const BUG: ErrorKind = {
  code: 'SAT_BUG',
  scope: 'process',
  origin: 'local',
  disposition: 'fatal',
  doc: 'A broken invariant in Satellite itself. Please report it with the log line.',
};

/**
 * The one error class. Decisions look at `code`, `scope`, `origin` and `disposition` only, never at the message.
 * @source style: every layer lists its codes in one table file (`errors.ts`).
 */
export class SatelliteError extends Error {
  readonly code: string;
  readonly scope: ErrorScope;
  readonly origin: ErrorOrigin;
  readonly disposition: ErrorDisposition;
  readonly retryAfterMs: number;
  readonly grpcStatus: number;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'SatelliteError';
    this.code = kind.code;
    this.scope = kind.scope;
    this.origin = kind.origin;
    this.disposition = kind.disposition;
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.grpcStatus = details.grpcStatus ?? 2;
  }

  /** Wraps anything thrown; a SatelliteError passes unchanged. */
  static from(thrown: unknown, kind: ErrorKind = BUG): SatelliteError {
    if (thrown instanceof SatelliteError) return thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new SatelliteError(kind, message, { cause: thrown });
  }
}
