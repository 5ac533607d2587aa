/** What leaves the process: the exporters named in `telemetry.export_type`. */
import { EXPOSITION_CONTENT_TYPE, Exposition } from './exposition.js';
import { HttpEndpoint } from './http-endpoint.js';
import type { MetricsRegistry } from './metrics-registry.js';

/** What the exporters need of the section `telemetry`, by its own names. */
export interface ExporterSettings {
  /** Names that exist, as the configuration has checked: `prometheus`, `none`. */
  readonly export_type: readonly string[];
  readonly prometheus: { readonly address: string; readonly endpoint: string };
}

/** The running exporters. */
export interface Exporters {
  /** The server that `/metrics` is on, for further routes; null when nothing listens. */
  readonly endpoint: HttpEndpoint | null;
  close(): Promise<void>;
}

/**
 * Starts the exporters. A port that cannot be bound fails the start: an operator who asked for metrics must not find out
 * from an empty dashboard.
 * @throws SAT_TEL_ADDRESS, SAT_TEL_LISTEN
 */
export async function startExporters(registry: MetricsRegistry, settings: ExporterSettings): Promise<Exporters> {
  if (!settings.export_type.includes('prometheus')) return { endpoint: null, close: () => Promise.resolve() };
  const exposition = new Exposition(registry, { withProcessMetrics: true });
  const endpoint = new HttpEndpoint(settings.prometheus.address);
  const { endpoint: path } = settings.prometheus;
  endpoint.route(path.startsWith('/') ? path : `/${path}`, async () => ({
    status: 200,
    contentType: EXPOSITION_CONTENT_TYPE,
    body: await exposition.text(),
  }));
  await endpoint.start();
  return { endpoint, close: () => endpoint.close() };
}
