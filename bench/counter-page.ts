/** A satellite's own counters, as text and number: what moved between two moments. */

/** Series of the Prometheus page, by name and labels. */
export type CounterPage = ReadonlyMap<string, number>;

const TIMEOUT_MS = 5000;
/** The same on every series: says nothing here. */
const COMMON_LABELS = /(cluster|service|instance)="[^"]*",?/g;

export async function readCounters(metricsPort: number): Promise<CounterPage> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const series = new Map<string, number>();
  for (const line of (await response.text()).split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (match === null) continue;
    const [, name = '', labels = '', value = ''] = match;
    const own = labels.replaceAll(COMMON_LABELS, '').replace(/,$/, '');
    series.set(own === '' ? name : `${name}{${own}}`, Number(value));
  }
  return series;
}

/** Series whose name passes, with what they gained. */
export function gains(before: CounterPage, after: CounterPage, isWanted: RegExp): [string, number][] {
  return [...after].flatMap(([series, value]): [string, number][] => {
    const gain = value - (before.get(series) ?? 0);
    return gain > 0 && isWanted.test(series) ? [[series, gain]] : [];
  });
}
