/** What went wrong on connections, counted; one instance may be shared by all connections of a listener. */

/** Told of each count, to keep metrics beside it. */
export interface Http2CounterEvents {
  onGuardTrip(guard: string): void;
  /** @param scope what was ended; @param code of the wire. */
  onProtocolError(scope: 'connection' | 'stream', code: number): void;
}

export class Http2Counters {
  /** Connections cut off, by guard name. */
  readonly guardTrips = new Map<string, number>();
  /** Connections ended by us for a peer's error, by wire code. */
  readonly connectionErrors = new Map<number, number>();
  /** Streams reset by us for a peer's error, by wire code. */
  readonly streamErrors = new Map<number, number>();
  private readonly events: Http2CounterEvents | null;

  constructor(events: Http2CounterEvents | null = null) {
    this.events = events;
  }

  countGuardTrip(guard: string): void {
    countUp(this.guardTrips, guard);
    this.events?.onGuardTrip(guard);
  }

  countConnectionError(code: number): void {
    countUp(this.connectionErrors, code);
    this.events?.onProtocolError('connection', code);
  }

  countStreamError(code: number): void {
    countUp(this.streamErrors, code);
    this.events?.onProtocolError('stream', code);
  }
}

function countUp<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
