/** The books of a pipe in words, for the log. */
import type { LedgerSnapshot } from '../core/ledger.js';

/**
 * A pipe's last line: what its drain has done, and its books. Null for one that nobody used.
 * `before` are the books when the drain began, `after` when it ended.
 */
export function describeEnd(before: LedgerSnapshot, after: LedgerSnapshot): string | null {
  if (after.received.messages === 0) return null;
  return `${describeDrain(before, after)}; since the start ${describeBooks(after)}`;
}

/** What became of a pipe's data since the start, in events and entries. */
function describeBooks(books: LedgerSnapshot): string {
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

/** What is still held at the end is on disk. */
function describeDrain(before: LedgerSnapshot, after: LedgerSnapshot): string {
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
