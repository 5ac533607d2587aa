/** The page of the attacks: a line for each, alone beside attacked. */
import type { AttackResult } from '../attack.js';
import { markdownTable } from './columns.js';

/** The wish: neighbours wait less than twice as long. */
const WANTED_RATIO = 2;

export function attackPage(results: readonly AttackResult[]): string {
  const rows = results.map((result) => {
    const { attack, title, alone, attacked } = result;
    const ratio = attacked.latencyP99Ms / alone.latencyP99Ms;
    const ratioText = ratio.toFixed(2);
    return [
      `${attack}: ${title}`,
      `${alone.latencyP99Ms} → ${attacked.latencyP99Ms}`,
      ratio < WANTED_RATIO ? ratioText : `**${ratioText}**`,
      `${alone.pingP99Ms.toFixed(1)} → ${attacked.pingP99Ms.toFixed(1)}`,
      attacked.pingMaxMs.toFixed(0),
      `${megabytes(alone.highestResidentBytes)} → ${megabytes(attacked.highestResidentBytes)} → ${megabytes(result.residentBytesAfter)}`,
      `${alone.cpuRatio.toFixed(2)} → ${attacked.cpuRatio.toFixed(2)}`,
      result.attackerCpuRatio.toFixed(2),
      `${result.lostEntries}`,
      result.tripped.map(([series, gain]) => `${shorten(series)}: ${gain}`).join('<br>'),
    ];
  });
  const titles = ['attack', 'p99 ms', '×', 'PING p99 ms', 'PING max ms', 'RSS MB, at most, and after', 'cores'];
  const table = markdownTable([...titles, 'attacker cores', 'lost entries', 'tripped'], rows);
  const [first] = results;
  return `${[
    '# Neighbours of an attacker',
    'Case 1 at half its rate, alone → beside one attacking connection that begins anew whenever it is cut off. Memory limit 512 MiB.',
    table,
    first === undefined ? '' : `${first.machine}, ${first.date}.`,
  ].join('\n\n')}\n`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** `satellite_grpc_server_guard_trips_total{guard="ping"}` as `guard_trips ping`. */
function shorten(series: string): string {
  const [name = '', labels = ''] = series.replace('satellite_grpc_server_', '').replace('_total', '').split('{');
  return `${name} ${[...labels.matchAll(/"([^"]*)"/g)].map(([, value]) => value).join(' ')}`.trim();
}
