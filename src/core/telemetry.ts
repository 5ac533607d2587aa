/**
 * What the core sees of metrics and logs. Handles are made once, at start or when an endpoint appears; the hot path only
 * adds to `value`.
 */

/** A monotonic count. HOT: add to `value` directly. */
export interface Counter {
  value: number;
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** One metric family; docs/metrics.md is generated from all of them. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: readonly string[];
  /** 'original': a name that dashboards of the original use; 'stable' | 'experimental': ours. */
  readonly stability: 'original' | 'stable' | 'experimental';
  /** Upper bounds, histograms only. */
  readonly buckets?: readonly number[];
}

export type Labels = Readonly<Record<string, string>>;

/** A distribution with fixed buckets. */
export interface Histogram {
  observe(value: number): void;
}

export interface Metrics {
  /** The counter for these label values; the same handle for the same labels. */
  counter(definition: MetricDefinition, labels: Labels): Counter;
  /** A gauge read at scrape time. Returns its remover. */
  gauge(definition: MetricDefinition, labels: Labels, read: () => number): () => void;
  histogram(definition: MetricDefinition, labels: Labels): Histogram;
  /** Forgets every series of any family that carries these label values (an endpoint that left). */
  forget(labels: Labels): void;
}

/** Structured log; `fields` are flat. Secrets never go in. */
export interface Log {
  debug(message: string, fields?: Labels): void;
  info(message: string, fields?: Labels): void;
  warn(message: string, fields?: Labels): void;
  error(message: string, fields?: Labels): void;
  /**
   * Repeated conditions: the first line of `key` is written at once, further ones are counted and summed up in one line
   * every 20 s at most.
   */
  repeated(level: 'info' | 'warn' | 'error', key: string, message: string, fields?: Labels): void;
}
