/** The page of a long run: slope and extremes of what may grow. */
import { slopeOf, type LongResult, type Sample } from '../long-run.js';
import { markdownTable } from './columns.js';

type Row = readonly [string, number, (sample: Sample) => number];

const ROWS: readonly Row[] = [
  ['RSS MB', 1, (sample) => sample.residentBytes / 1e6],
  ['heap MB', 1, (sample) => sample.heapUsedBytes / 1e6],
  ['external MB', 1, (sample) => sample.externalBytes / 1e6],
  ['open files', 0, (sample) => sample.handles],
  ['cores', 2, (sample) => sample.cpuRatio],
];

export function longPage(result: LongResult): string {
  const { title, machine, date, lostEntries, shedEntries } = result;
  const steady = result.samples.slice(result.steadyFrom);
  const rows = ROWS.map(([name, digits, read]) => {
    const values = steady.map(read);
    const perMinute = slopeOf(steady.map((sample) => [sample.seconds / 60, read(sample)]));
    const extremes = [values[0]!, Math.min(...values), Math.max(...values), values.at(-1)!];
    return [name, perMinute.toFixed(2), ...extremes.map((value) => value.toFixed(digits))];
  });
  const first = steady[0]!;
  const last = steady.at(-1)!;
  const rate = (last.entries - first.entries) / Math.max(1, last.seconds - first.seconds);
  return `${[
    '# A long run',
    `${title}, for ${last.seconds} s; the first ${first.seconds} s are warm-up. ${rate.toFixed(0)} entries/s delivered, ` +
      `${lostEntries} lost, ${shedEntries} shed by the fleet.`,
    markdownTable(['', 'a minute', 'first', 'lowest', 'highest', 'last'], rows),
    `${machine}, ${date}.`,
  ].join('\n\n')}\n`;
}
