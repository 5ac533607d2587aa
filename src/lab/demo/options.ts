/** What `satellite demo` can be told. */
export interface DemoOptions {
  /** 0: none; the satellite waits on its usual ports for Envoys of the user's own. */
  readonly envoys: number;
  /** Entries per second of all Envoys together. */
  readonly rate: number;
  readonly oaps: number;
  readonly seconds: number;
  /** Kills one OAP after a third of the time and brings it back after two thirds. */
  readonly killOne: boolean;
}

export const DEFAULT_DEMO_OPTIONS: DemoOptions = { envoys: 150, rate: 20_000, oaps: 3, seconds: 20, killOne: false };

/** Where the demo shows itself. */
export interface DemoIo {
  write(text: string): void;
  /** A terminal gets a table that redraws itself, anything else a line a second. */
  readonly isTerminal: boolean;
  /** Aborted: the demo ends early, in order, with its summary. */
  readonly signal: AbortSignal;
}
