/** What the demo and the bench read from a satellite's own Prometheus page. */

/** The books of all access-log pipes together, in entries, and the cost of the process. */
export interface SatelliteMetrics {
  readonly received: number;
  readonly delivered: number;
  readonly dropped: number;
  readonly held: number;
  readonly retries: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

const TIMEOUT_MS = 3000;

/** @throws when the page is not there. */
export async function scrapeSatellite(port: number): Promise<SatelliteMetrics> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return readSatelliteMetrics(await response.text());
}

export function readSatelliteMetrics(page: string): SatelliteMetrics {
  const sums = new Map<string, number>();
  for (const line of page.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)/.exec(line);
    if (match === null) continue;
    const [, name = '', labels = '', value = '0'] = match;
    if (name.startsWith('ledger_') && !(labels.includes('unit="entries"') && labels.includes('pipe="envoy-als-')))
      continue;
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  const sumOf = (name: string): number => sums.get(name) ?? 0;
  return {
    received: sumOf('ledger_received_count'),
    delivered: sumOf('ledger_delivered_count'),
    dropped: sumOf('ledger_dropped_count'),
    held: sumOf('ledger_held'),
    retries: sumOf('sender_retry_count'),
    cpuSeconds: sumOf('process_cpu_seconds_total'),
    residentBytes: sumOf('process_resident_memory_bytes'),
  };
}
