import type { Catalogue } from './catalogue.js';
import { joinPath, positionOf } from './decode.js';
import type { Section } from './decode.js';
import { CONFIG_ERRORS } from './errors.js';
import { isOriginalPlugin } from './original-names.js';
import { setByText } from './problem.js';
import type { Position, Problems } from './problem.js';

const KINDS = ['server', 'client', 'receiver', 'queue', 'fallbacker', 'forwarder'] as const;

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

  /** One value, with the values there are. */
  addValue(section: Section, key: string, value: string, offered: readonly string[]): void {
    const position = positionOf(section, key);
    const names = [`${value} (there is: ${offered.join(', ')})${setByText(position)}`];
    const lines = `line ${position?.line ?? 0}`;
    this.entries.push({ lines, subject: joinPath(section.path, key), names, position: section.position });
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
    for (const kind of KINDS) {
      const isAsked = this.entries.some((entry) => entry.names.some((name) => isOriginalPlugin(kind, name)));
      if (isAsked) details.push(`There is, as ${kind}: ${catalogue.names(kind).join(', ')}`);
    }
    const message = `${this.entries.length === 1 ? 'one place asks' : `${this.entries.length} places ask`} for what this version does not have yet`;
    const remedy = 'Remove these lines or change their values:';
    problems.error(CONFIG_ERRORS.notYet, '', first.position, message, remedy, details);
  }
}
