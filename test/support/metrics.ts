/** Metrics that tests read. */
import type { Counter, Histogram, Labels, MetricDefinition, Metrics } from '../../src/core/telemetry.js';

export class RecordingMetrics implements Metrics {
  private readonly counters = new Map<string, Counter>();
  private readonly gauges = new Map<string, () => number>();
  private readonly histograms = new Map<string, number[]>();

  counter(definition: MetricDefinition, labels: Labels): Counter {
    const key = keyOf(definition.name, labels);
    const counter = this.counters.get(key) ?? { value: 0 };
    this.counters.set(key, counter);
    return counter;
  }

  gauge(definition: MetricDefinition, labels: Labels, read: () => number): () => void {
    const key = keyOf(definition.name, labels);
    this.gauges.set(key, read);
    return () => this.gauges.delete(key);
  }

  histogram(definition: MetricDefinition, labels: Labels): Histogram {
    const values: number[] = [];
    this.histograms.set(keyOf(definition.name, labels), values);
    return { observe: (value) => void values.push(value) };
  }

  forget(labels: Labels): void {
    const wanted = Object.entries(labels).map(([name, value]) => `"${name}":"${value}"`);
    for (const map of [this.counters, this.gauges, this.histograms]) {
      for (const key of map.keys()) if (wanted.every((text) => key.includes(text))) map.delete(key);
    }
  }

  /** The value of one series; undefined when there is none. */
  read(name: string, labels: Labels = {}): number | undefined {
    const key = keyOf(name, labels);
    return this.counters.get(key)?.value ?? this.gauges.get(key)?.();
  }

  observations(name: string, labels: Labels = {}): readonly number[] {
    return this.histograms.get(keyOf(name, labels)) ?? [];
  }

  /** Series of any family that carry these label values. */
  seriesWith(labels: Labels): number {
    const wanted = Object.entries(labels).map(([name, value]) => `"${name}":"${value}"`);
    const keys = [this.counters, this.gauges, this.histograms].flatMap((map) => [...map.keys()]);
    return keys.filter((key) => wanted.every((text) => key.includes(text))).length;
  }

  /** Series of one family. */
  seriesOf(name: string): number {
    let count = 0;
    for (const map of [this.counters, this.gauges])
      for (const key of map.keys()) if (key.startsWith(`${name}{`)) count++;
    return count;
  }
}

function keyOf(name: string, labels: Labels): string {
  return `${name}${JSON.stringify(Object.fromEntries(Object.entries(labels).sort()))}`;
}
