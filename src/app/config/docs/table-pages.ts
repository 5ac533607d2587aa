import type { ErrorKind } from '../../../base/index.js';
import type { MetricDefinition } from '../../../core/telemetry.js';

/** Declarations of one layer, by name or in a row. */
export type Table<T> = Readonly<Record<string, T>> | readonly T[];

function byName<T>(tables: readonly Table<T>[], nameOf: (row: T) => string): readonly T[] {
  const rows = tables.flatMap((table) => Object.values(table) as readonly T[]);
  const unique = new Map(rows.map((row) => [nameOf(row), row]));
  return [...unique.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

const STABILITY_TEXTS: Readonly<Record<MetricDefinition['stability'], string>> = {
  original: "the original's",
  stable: '',
  experimental: 'experimental',
};

export function metricsPage(tables: readonly Table<MetricDefinition>[]): string {
  const rows = byName(tables, (metric) => metric.name).map((metric) => {
    const labels = metric.labels.map((label) => `\`${label}\``).join(', ');
    const help = metric.buckets === undefined ? metric.help : `${metric.help} Buckets: ${metric.buckets.join(', ')}.`;
    return `| \`${metric.name}\` | ${metric.type} | ${labels} | ${cell(help)} | ${STABILITY_TEXTS[metric.stability]} |`;
  });
  return `# Metrics

Read this when you build a dashboard or an alert. The exporter \`prometheus\` serves them on \`telemetry.prometheus\`
(\`:1234/metrics\`); each series also carries \`cluster\`, \`service\` and \`instance\` where they are not empty.

| Name | Type | Labels | Meaning | Stability |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

export function errorsPage(tables: readonly Table<ErrorKind>[]): string {
  const rows = byName(tables, (error) => error.code).map(
    ({ code, scope, origin, disposition, doc }) =>
      `| \`${code}\` | ${scope} | ${origin} | ${disposition} | ${cell(doc)} |`,
  );
  return `# Errors

Read this when a code stands in a log line or an answer. *Scope*: how far the damage reaches. *Origin*: user (the
configuration or the caller), local (our code or limits), remote (the peer), system (the operating system). *Then*: what
happens next.

| Code | Scope | Origin | Then | Meaning |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
