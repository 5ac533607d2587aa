import { Backoff } from '../../base/index.js';
import type { BackoffSettings, Random } from '../../base/index.js';

/** Failures without an OK between them that eject; fewer are chance, or the batch's own fault. */
const FAILURES_TO_EJECT = 3;
/** First ejection about 1 s, doubling to half a minute: a restart is met early, a broken endpoint costs one batch a time. */
const EJECTION: BackoffSettings = { initialMs: 1_000, maxMs: 30_000, factor: 2, jitterRatio: 0.2 };
/** An endpoint that has served this long since its last ejection starts again with the shortest one. */
const FORGIVEN_AFTER_MS = 10_000;

/** What a breaker lets through. */
export const GATE = {
  /** Any batch. */
  open: 0,
  /** One batch, as a probe. */
  probe: 1,
  /** Nothing. */
  shut: 2,
} as const;
export type Gate = (typeof GATE)[keyof typeof GATE];

const CLOSED = 0;
const EJECTED = 1;
const PROBING = 2;

/**
 * Ejection of one endpoint.
 *
 *            3 failures in a row, or one silence
 *   closed ──────────────────────────────────────▶ ejected ◀──┐ probe failed: longer than before
 *      ▲                                              │ time is up, or a new connection
 *      │  probe OK                                    ▼        │
 *      └────────────────────────────────────────── probing ───┘
 *
 * Outcomes of batches that were out before the ejection change nothing any more; only the probe counts.
 */
export class Breaker {
  private state: typeof CLOSED | typeof EJECTED | typeof PROBING = CLOSED;
  /** Failures since the last OK. */
  private failures = 0;
  /** When the running ejection began; orders the ejected. */
  private ejectedMs = 0;
  /** End of the running ejection. */
  private untilMs = 0;
  /** When it last became closed. */
  private closedMs = 0;
  private readonly backoff: Backoff;

  constructor(random: Random) {
    this.backoff = new Backoff(EJECTION, random);
  }

  get isEjected(): boolean {
    return this.state !== CLOSED;
  }

  get isProbing(): boolean {
    return this.state === PROBING;
  }

  get ejectedAtMs(): number {
    return this.ejectedMs;
  }

  /** When a probe is due. */
  get probeDueMs(): number {
    return this.untilMs;
  }

  gate(nowMs: number): Gate {
    if (this.state === CLOSED) return GATE.open;
    return this.state === EJECTED && nowMs >= this.untilMs ? GATE.probe : GATE.shut;
  }

  /** One batch is sent to see whether the endpoint has recovered. */
  startProbe(): void {
    this.state = PROBING;
  }

  /** A new connection is fresh evidence: an ejected endpoint may be probed at once. */
  allowProbe(nowMs: number): void {
    if (this.state === EJECTED) this.untilMs = nowMs;
  }

  /** @returns true when the endpoint is back. */
  onOk(isProbe: boolean, nowMs: number): boolean {
    if (this.state === CLOSED) this.failures = 0;
    if (!isProbe) return false;
    this.state = CLOSED;
    this.failures = 0;
    this.closedMs = nowMs;
    return true;
  }

  /**
   * `isSilence`: it failed by not answering, which has cost its batch far more time than a refusal: once is enough.
   * @returns true when the endpoint is ejected now (for the first time, or again after its probe).
   */
  onFailure(isProbe: boolean, isSilence: boolean, nowMs: number): boolean {
    if (!isProbe) {
      if (this.state !== CLOSED) return false;
      this.failures++;
      if (this.failures < FAILURES_TO_EJECT && !isSilence) return false;
      if (nowMs - this.closedMs >= FORGIVEN_AFTER_MS) this.backoff.reset();
    }
    this.state = EJECTED;
    this.ejectedMs = nowMs;
    this.untilMs = nowMs + this.backoff.nextMs();
    return true;
  }

  /** The batch ended without telling anything about the endpoint: another probe is due. */
  onNeutral(isProbe: boolean): void {
    if (isProbe) this.state = EJECTED;
  }
}
