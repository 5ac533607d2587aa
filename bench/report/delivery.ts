/** The page of delivery: two ratios and what they come from. */
import type { CaseResult } from '../compare.js';
import { SHIPPED, WITH_DISK, WITHOUT_RETRY } from '../delivery.js';
import { provenance } from './cases.js';
import { markdownTable, runTable } from './columns.js';
import { costRatio, formatSpread } from './spread.js';

/** What is compared, with what, and how much it may cost. */
const WISHES: readonly (readonly [string, string, string, number])[] = [
  ['retry on ÷ off', SHIPPED, WITHOUT_RETRY, 1.03],
  ['disk queue ÷ memory queue', WITH_DISK, SHIPPED, 1.6],
];

export function deliveryPage(result: CaseResult): string {
  const wishes = WISHES.map(([title, name, basis, limit]) => {
    const ratio = costRatio(result.runs, name, basis)!;
    const isMet = Number(ratio.median.toFixed(2)) <= limit;
    return [title, `${limit}`, formatSpread(ratio, 3), isMet ? 'met' : '**missed**'];
  });
  return `${[
    '# The cost of losing nothing',
    `Case 1: ${result.bench.title}. CPU of the whole process for a message; disk queue with fsync interval.`,
    markdownTable(['CPU', 'at most', 'measured', ''], wishes),
    runTable(result, SHIPPED),
    provenance(result),
  ].join('\n\n')}\n`;
}
