/**
 * The metrics of the process: families of series, each series a handle that the data path adds to.
 *
 *   family  gatherer_receive_count ──┬─ {pipe="a",status="all"}        CounterSeries { value }
 *                                    └─ {pipe="a",status="abandoned"}  CounterSeries { value }
 *
 * Nothing here formats text: `snapshot` reads all series in one turn, the exposition renders what it read. So the books of
 * a pipe balance within one scrape whatever happens while it is rendered.
 */
import { BUG, SatelliteError } from '../../base/index.js';
import type { Counter, Histogram, Labels, MetricDefinition, Metrics } from '../../core/telemetry.js';

/**
 * Series of one family at most. Twice the 5000 peers that one process is meant for, so that a label that follows peers
 * fits; beyond it all newcomers share one series, whose labels say `other`.
 */
export const MAX_SERIES_PER_FAMILY = 10_000;

/** The label value of the series that newcomers share once a family is full. */
export const OVERFLOW_LABEL = 'other';

/** One line of the exposition, but for its formatting. */
export interface Sample {
  /** Set where the line's name differs from the family's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
  /** In the order they are printed, before the shared ones. */
  readonly labels: Labels;
  /** The same object at every scrape, so that prom-client renders it once. */
  readonly sharedLabels?: Labels;
  readonly value: number;
}

export interface FamilySnapshot {
  readonly definition: MetricDefinition;
  readonly samples: readonly Sample[];
}

interface Series {
  /** The label values of the definition. */
  readonly own: Labels;
  /** What is printed: own and constant labels, sorted by name. */
  readonly shown: Labels;
}

class CounterSeries implements Counter, Series {
  value = 0;
  readonly own: Labels;
  readonly shown: Labels;

  constructor(own: Labels, shown: Labels) {
    this.own = own;
    this.shown = shown;
  }
}

/** Several readers of one series add up: two receivers may both count the streams of one version. */
class GaugeSeries implements Series {
  readonly readers = new Set<{ readonly read: () => number }>();
  readonly own: Labels;
  readonly shown: Labels;

  constructor(own: Labels, shown: Labels) {
    this.own = own;
    this.shown = shown;
  }

  /** The sum of all readers, or undefined when one fails: a broken gauge must not break the scrape. */
  read(): number | undefined {
    let sum = 0;
    try {
      for (const reader of this.readers) sum += reader.read();
    } catch {
      return undefined;
    }
    return sum;
  }
}

class HistogramSeries implements Histogram, Series {
  readonly own: Labels;
  readonly shown: Labels;
  /** Upper bounds, ascending; +Inf is implied. */
  readonly bounds: readonly number[];
  /** Observations per bucket, not cumulative; the last one is +Inf. */
  readonly counts: number[];
  sum = 0;

  constructor(own: Labels, shown: Labels, bounds: readonly number[]) {
    this.own = own;
    this.shown = shown;
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let index = 0;
    while (value > (this.bounds[index] ?? Infinity)) index++;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

interface Family {
  readonly definition: MetricDefinition;
  readonly series: Map<string, Series>;
}

/** Metrics behind core's contract; see the file comment. */
export class MetricsRegistry implements Metrics {
  /** Non-empty ones of cluster, service and instance: on every series. */
  readonly constantLabels: Labels;
  private readonly families = new Map<string, Family>();
  private refused = 0;

  constructor(constantLabels: Labels = {}) {
    this.constantLabels = Object.fromEntries(Object.entries(constantLabels).filter(([, value]) => value !== ''));
  }

  counter(definition: MetricDefinition, labels: Labels): Counter {
    return this.series(definition, 'counter', labels, (own, shown) => new CounterSeries(own, shown)) as CounterSeries;
  }

  gauge(definition: MetricDefinition, labels: Labels, read: () => number): () => void {
    const make = (own: Labels, shown: Labels): GaugeSeries => new GaugeSeries(own, shown);
    const series = this.series(definition, 'gauge', labels, make) as GaugeSeries;
    const reader = { read };
    series.readers.add(reader);
    return () => {
      series.readers.delete(reader);
      if (series.readers.size === 0) this.remove(definition.name, series);
    };
  }

  histogram(definition: MetricDefinition, labels: Labels): Histogram {
    const bounds = definition.buckets ?? [];
    const make = (own: Labels, shown: Labels): HistogramSeries => new HistogramSeries(own, shown, bounds);
    return this.series(definition, 'histogram', labels, make) as HistogramSeries;
  }

  forget(labels: Labels): void {
    const wanted = Object.entries(labels);
    if (wanted.length === 0) return;
    for (const { definition, series } of this.families.values()) {
      if (!wanted.every(([name]) => definition.labels.includes(name))) continue;
      if (wanted.length === definition.labels.length) {
        series.delete(keyOf(definition, labels));
        continue;
      }
      for (const [key, { own }] of series) {
        if (wanted.every(([name, value]) => own[name] === value)) series.delete(key);
      }
    }
  }

  /** Every family known so far, for the documentation and its test. */
  definitions(): readonly MetricDefinition[] {
    return [...this.families.values()].map((family) => family.definition);
  }

  /** Requests for a series that found its family full. */
  get refusedSeries(): number {
    return this.refused;
  }

  /** The value of one series now; undefined when there is none. Histograms: the number of observations. */
  value(name: string, labels: Labels): number | undefined {
    const family = this.families.get(name);
    const series = family?.series.get(keyOf(family.definition, labels));
    if (series instanceof CounterSeries) return series.value;
    if (series instanceof GaugeSeries) return series.read();
    if (series instanceof HistogramSeries) return series.counts.reduce((total, count) => total + count, 0);
    return undefined;
  }

  /** All series as they are at this instant, in the order their families were first asked for. */
  snapshot(): FamilySnapshot[] {
    return [...this.families.values()].map((family) => ({ definition: family.definition, samples: samplesOf(family) }));
  }

  /** `labels` and the constant ones, sorted by name as the original prints them. */
  shownLabels(labels: Labels): Labels {
    const entries = Object.entries({ ...this.constantLabels, ...labels });
    return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  private series(
    definition: MetricDefinition,
    type: MetricDefinition['type'],
    labels: Labels,
    make: (own: Labels, shown: Labels) => Series,
  ): Series {
    const family = this.family(definition, type);
    let own = labels;
    let key = keyOf(definition, own);
    const found = family.series.get(key);
    if (found !== undefined) return found;
    if (family.series.size >= MAX_SERIES_PER_FAMILY) {
      this.refused++;
      own = Object.fromEntries(definition.labels.map((name) => [name, OVERFLOW_LABEL]));
      key = keyOf(definition, own);
    }
    const series = family.series.get(key) ?? make(own, this.shownLabels(own));
    family.series.set(key, series);
    return series;
  }

  private family(definition: MetricDefinition, type: MetricDefinition['type']): Family {
    const known = this.families.get(definition.name);
    if (known !== undefined && known.definition !== definition && !isSame(known.definition, definition)) {
      throw new SatelliteError(BUG, `two definitions of the metric ${definition.name}`);
    }
    if (definition.type !== type) throw new SatelliteError(BUG, `${definition.name} is no ${type}`);
    if (known !== undefined) return known;
    const taken = definition.labels.find((name) => name in this.constantLabels);
    if (taken !== undefined) throw new SatelliteError(BUG, `${definition.name} has the constant label ${taken}`);
    const family: Family = { definition, series: new Map() };
    this.families.set(definition.name, family);
    return family;
  }

  private remove(name: string, series: Series): void {
    const family = this.families.get(name);
    const key = family === undefined ? '' : keyOf(family.definition, series.own);
    // A forgotten series may have been asked for again since: only the one that was ours goes.
    if (family?.series.get(key) === series) family.series.delete(key);
  }
}

/** For samples whose labels are all shared. */
const NO_LABELS: Labels = {};

function isSame(left: MetricDefinition, right: MetricDefinition): boolean {
  return left.type === right.type && left.labels.join() === right.labels.join();
}

function keyOf(definition: MetricDefinition, labels: Labels): string {
  const values = definition.labels.map((name) => labels[name]);
  if (values.includes(undefined) || Object.keys(labels).length !== values.length) {
    throw new SatelliteError(BUG, `${definition.name} wants the labels ${definition.labels.join()}`);
  }
  return JSON.stringify(values);
}

function samplesOf(family: Family): Sample[] {
  const samples: Sample[] = [];
  for (const series of family.series.values()) {
    if (series instanceof CounterSeries)
      samples.push({ labels: NO_LABELS, sharedLabels: series.shown, value: series.value });
    else if (series instanceof HistogramSeries) pushHistogram(samples, family.definition.name, series);
    else if (series instanceof GaugeSeries) {
      const value = series.read();
      if (value !== undefined) samples.push({ labels: NO_LABELS, sharedLabels: series.shown, value });
    }
  }
  return samples;
}

function pushHistogram(samples: Sample[], name: string, series: HistogramSeries): void {
  let cumulative = 0;
  for (const [index, count] of series.counts.entries()) {
    cumulative += count;
    const le = String(series.bounds[index] ?? '+Inf');
    samples.push({ metricName: `${name}_bucket`, labels: { ...series.shown, le }, value: cumulative });
  }
  samples.push({ metricName: `${name}_sum`, labels: series.shown, value: series.sum });
  samples.push({ metricName: `${name}_count`, labels: series.shown, value: cumulative });
}
