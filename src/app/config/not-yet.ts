import type { Catalogue } from './catalogue.js';
import { joinPath } from './decode.js';
import type { Section } from './decode.js';
import { CONFIG_ERRORS } from './errors.js';
import type { Position, Problems } from './problem.js';

interface Entry {
  readonly lines: string;
  readonly subject: string;
  readonly names: readonly string[];
  readonly position: Position | null;
}

/**
 * Collects what a file of the original asks for and this version lacks, so that its user gets one list to work through
 * instead of a line for each name.
 */
export class NotYetList {
  private readonly entries: Entry[] = [];

  /** A whole section, `subject` as the user calls it. */
  addSection(section: Section, subject: string, names: readonly string[]): void {
    const first = section.position?.line ?? 0;
    const last = section.node?.endLine ?? first;
    const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
    this.entries.push({ lines, subject, names, position: section.position });
  }

  /** One value. */
  addValue(section: Section, key: string, name: string, position: Position | null): void {
    const lines = `line ${position?.line ?? 0}`;
    this.entries.push({ lines, subject: joinPath(section.path, key), names: [name], position });
  }

  /** Turns the list into one problem that says which lines to take out and what there is. */
  report(catalogue: Catalogue, problems: Problems): void {
    const first = this.entries[0];
    if (first === undefined) return;
    const linesWidth = Math.max(...this.entries.map((entry) => entry.lines.length));
    const subjectWidth = Math.max(...this.entries.map((entry) => entry.subject.length));
    const details = this.entries.map(
      (entry) => `${entry.lines.padEnd(linesWidth)}  ${entry.subject.padEnd(subjectWidth)}  ${entry.names.join(', ')}`,
    );
    for (const kind of ['receiver', 'forwarder', 'queue', 'client', 'server', 'finder'] as const) {
      const names = catalogue.names(kind);
      if (names.length > 0) details.push(`There is, as ${kind}: ${names.join(', ')}`);
    }
    const message = `${this.entries.length === 1 ? 'one place asks' : `${this.entries.length} places ask`} for what this version does not have yet`;
    const remedy = 'Remove or comment out these lines:';
    problems.error(CONFIG_ERRORS.notYet, '', first.position, message, remedy, details);
  }
}
