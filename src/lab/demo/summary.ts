/** The verdict at the end of a demo: do the books balance? */
import type { BooksComparison } from '../compare-books.js';
import { count, megabytes, percent } from './screen.js';
import type { Interval, Sample } from './sample.js';

export interface Summary {
  readonly lines: readonly string[];
  readonly isBalanced: boolean;
}

/**
 * @param last the state after all has settled
 * @param overall from the first to the last sample under load
 * @param mayDouble an OAP died: what it had taken and not yet confirmed may have been sent twice
 */
export function summarise(last: Sample, overall: Interval, books: BooksComparison, mayDouble: boolean): Summary {
  const { received, delivered, dropped, held, residentBytes } = last.satellite;
  const misplaced = last.oaps.reduce((sum, oap) => sum + oap.misplacedEntries, 0);
  const checks: readonly (readonly [string, boolean])[] = [
    [
      `the fleet sent ${count(books.sentEntries)} entries, the satellite received ${count(received)}`,
      received === books.sentEntries,
    ],
    [
      `received ${count(received)} = delivered ${count(delivered)} + dropped ${count(dropped)} + held ${count(held)}`,
      received === delivered + dropped + held && held === 0,
    ],
    [
      `the OAPs have ${count(books.deliveredEntries)} different entries, ${count(books.missingEntries)} are missing`,
      books.missingEntries <= dropped && books.deliveredEntries >= delivered,
    ],
    [`${count(books.doubledEntries)} entries came twice`, books.doubledEntries === 0 || mayDouble],
    [`${count(misplaced)} entries came under the wrong Envoy`, misplaced === 0],
  ];
  const isBalanced = checks.every(([, isGood]) => isGood);
  return {
    isBalanced,
    lines: [
      'Books',
      ...checks.map(([text, isGood]) => `  ${isGood ? 'ok ' : 'BAD'} ${text}`),
      ...books.examples.map((example) => `      missing of ${example}`),
      'Balance',
      `  ${overall.perOap.map((rate, index) => `OAP ${index + 1} ${percent(rate / Math.max(1, overall.entriesOut))}`).join('   ')}   max/mean ${overall.maxOverMean.toFixed(3)}`,
      'Cost',
      `  CPU ${percent(overall.cpuRatio)} of a core for ${count(overall.entriesIn)} entries/s in ${count(overall.messagesIn)} messages/s, memory ${megabytes(residentBytes)} MB`,
      isBalanced ? 'The books balance.' : 'The books do NOT balance.',
    ],
  };
}
