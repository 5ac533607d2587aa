/** What went wrong on connections, counted; one instance may be shared by all connections of a listener. */
export class Http2Counters {
  /** Connections cut off, by guard name. */
  readonly guardTrips = new Map<string, number>();
  /** Connections ended by us for a peer's error, by wire code. */
  readonly connectionErrors = new Map<number, number>();
  /** Streams reset by us for a peer's error, by wire code. */
  readonly streamErrors = new Map<number, number>();
}

/** Adds one to a key's count. */
export function countUp<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
