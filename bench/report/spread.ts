/** Median and range of the same figure in several runs. */
import type { RunResult } from '../measure.js';

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  return { median, low: sorted[0] ?? 0, high: sorted[sorted.length - 1] ?? 0 };
}

/** `66.3 (61.2–89.8)`; the median alone where all runs say the same. */
export function formatSpread({ median, low, high }: Spread, digits: number): string {
  const [text, from, to] = [median, low, high].map((value) => value.toFixed(digits));
  return from === to ? `${text}` : `${text} (${from}–${to})`;
}

/** CPU of a message beside another contender's: the ratios of neighbouring runs, as what disturbs one disturbs both. */
export function costRatio(runs: readonly RunResult[], name: string, basis: string): Spread | null {
  const own = runs.filter((run) => run.middle === name);
  const other = runs.filter((run) => run.middle === basis);
  if (name === basis || own.length === 0 || other.length !== own.length) return null;
  return spreadOf(own.map((run, index) => run.cpuMicrosPerMessage / other[index]!.cpuMicrosPerMessage));
}
