import type { LedgerSnapshot } from '../core/ledger.js';

/** The books of a pipe in one line, in events and entries, for the log. */
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
