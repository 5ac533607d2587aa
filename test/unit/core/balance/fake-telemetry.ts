import type { Counter, Histogram, Labels, Log, MetricDefinition, Metrics } from '../../../../src/core/telemetry.js';

interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly read: () => number;
}

/** Keeps every series, to look at. */
export class FakeMetrics implements Metrics {
  private series: Series[] = [];

  counter(definition: MetricDefinition, labels: Labels): Counter {
    const counter = { value: 0 };
    this.series.push({ name: definition.name, labels, read: () => counter.value });
    return counter;
  }

  gauge(definition: MetricDefinition, labels: Labels, read: () => number): () => void {
    const series = { name: definition.name, labels, read };
    this.series.push(series);
    return () => {
      this.series = this.series.filter((known) => known !== series);
    };
  }

  histogram(definition: MetricDefinition, labels: Labels): Histogram {
    let count = 0;
    this.series.push({ name: definition.name, labels, read: () => count });
    return { observe: () => count++ };
  }

  forget(labels: Labels): void {
    this.series = this.series.filter(
      (series) => !Object.entries(labels).every(([name, value]) => series.labels[name] === value),
    );
  }

  /** Value of the series with this name and these labels; undefined when there is none. */
  value(name: string, labels: Labels): number | undefined {
    return this.series
      .find(
        (series) =>
          series.name === name && Object.entries(labels).every(([label, value]) => series.labels[label] === value),
      )
      ?.read();
  }

  /** How many series carry these labels. */
  count(labels: Labels): number {
    return this.series.filter((series) =>
      Object.entries(labels).every(([name, value]) => series.labels[name] === value),
    ).length;
  }
}

/** Keeps every line, to look at. */
export class FakeLog implements Log {
  readonly lines: string[] = [];
  private readonly seen = new Set<string>();

  debug(): void {
    // Not looked at.
  }

  info(message: string): void {
    this.lines.push(`info ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }

  repeated(level: 'info' | 'warn' | 'error', key: string, message: string): void {
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.lines.push(`${level} ${message}`);
  }
}
