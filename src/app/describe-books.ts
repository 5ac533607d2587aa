/** The books of a pipe in words, for the log. */
import type { LedgerSnapshot } from '../core/ledger.js';

/** What became of a pipe's data since the start, in one line of events and entries. */
export function describeBooks(books: LedgerSnapshot): string {
  const { received, delivered, held } = books;
  const dropped = Object.entries(books.dropped).map(
    ([reason, lost]) => `${lost.events} events/${lost.entries} entries ${reason}`,
  );
  return [
    `received ${received.events} events/${received.entries} entries`,
    `delivered ${delivered.events}/${delivered.entries}`,
    `dropped ${dropped.length === 0 ? '0' : dropped.join(', ')}`,
    `held ${held.events}/${held.entries}`,
  ].join('; ');
}

/** What a drain has done: `before` are the books when it began, `after` when it ended. What is then held is on disk. */
export function describeDrain(before: LedgerSnapshot, after: LedgerSnapshot): string {
  const { delivered, held } = after;
  const lost = totalDropped(after) - totalDropped(before);
  return (
    `drained: ${delivered.entries - before.delivered.entries} entries delivered, ` +
    `${held.entries} kept on disk, ${lost} dropped`
  );
}

function totalDropped(books: LedgerSnapshot): number {
  return Object.values(books.dropped).reduce((sum, lost) => sum + lost.entries, 0);
}
