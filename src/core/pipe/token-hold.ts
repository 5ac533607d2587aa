/**
 * Every backend refuses our token, as while tokens are rotated: data is held, and one batch tries again now and then.
 *
 *     ACCEPTED ── all refused it ──> HELD ── a probe is out ──> PROBING
 *        ^                            ^  (30 s, or a backend       |
 *        |                            |   that has not refused)    |
 *        |                            +──── refused again ─────────+
 *        +────────────── any other judgement of a backend ─────────+
 */
import type { Clock, Timer } from '../../base/index.js';
import type { Log } from '../telemetry.js';

/** Rotation of a token takes minutes; asking more often only fills the backends' logs. */
const PROBE_MS = 30_000;

const ACCEPTED = 0;
const HELD = 1;
const PROBING = 2;

export class TokenHold {
  private readonly clock: Clock;
  private readonly log: Log;
  /** Sends a batch that waits to an endpoint outside `excluded`; false: none was sent. Calls `beginProbe` first. */
  private readonly sendProbe: (excluded: ReadonlySet<number> | null) => boolean;
  private state: number = ACCEPTED;
  private timer: Timer | null = null;
  /** Endpoints that have refused the token since the hold began. */
  private readonly refusers = new Set<number>();

  constructor(clock: Clock, log: Log, sendProbe: (excluded: ReadonlySet<number> | null) => boolean) {
    this.clock = clock;
    this.log = log;
    this.sendProbe = sendProbe;
  }

  /** Batches wait. */
  get isActive(): boolean {
    return this.state !== ACCEPTED;
  }

  /** The one batch that may be out is out. */
  get isProbing(): boolean {
    return this.state === PROBING;
  }

  /** All endpoints have refused the token, `refusers` the latest. */
  begin(refusers: ReadonlySet<number> | null): void {
    if (refusers !== null) for (const id of refusers) this.refusers.add(id);
    if (this.state === HELD) return;
    this.log.repeated('error', 'token', 'every backend refuses our token; data is held and tried every 30 s');
    this.arm();
  }

  beginProbe(): void {
    this.state = PROBING;
  }

  /** An endpoint is ready; one that has not refused the token yet is asked at once. */
  onEndpointReady(): void {
    if (this.state === HELD) this.probe(this.refusers);
  }

  /** A backend judged something else than our token. @returns whether data was held until now. */
  lift(): boolean {
    if (this.state === ACCEPTED) return false;
    this.state = ACCEPTED;
    this.refusers.clear();
    this.stop();
    return true;
  }

  stop(): void {
    this.timer?.cancel();
  }

  private arm(): void {
    this.state = HELD;
    this.stop();
    this.timer = this.clock.setTimer(PROBE_MS, () => {
      this.probe(null);
    });
  }

  private probe(excluded: ReadonlySet<number> | null): void {
    if (this.sendProbe(excluded)) return;
    // No endpoint took it. A newcomer is waited for meanwhile; the timer of the next probe runs on.
    if (excluded === null || this.isProbing) this.arm();
  }
}
