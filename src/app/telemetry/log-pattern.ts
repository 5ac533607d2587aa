/** The original's line format: `%time [%level][%field] - %msg`. */
import type { Labels } from '../../core/telemetry.js';
import { TimeLayout } from './time-layout.js';

/** One line before it is formatted. */
export interface LogLine {
  /** Unix milliseconds. */
  readonly timeMs: number;
  readonly level: string;
  readonly message: string;
  readonly fields: Labels;
}

const PLACEHOLDER = /%(time|level|field|msg)/;
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/g;

/**
 * A parsed pattern. All placeholders are replaced in one pass, so text that was put in is never read as a placeholder
 * (the original expands `%msg` inside a field). Control characters in messages and fields are escaped: a peer's text must not
 * be able to write a line of its own.
 */
export class LogPattern {
  /** Literals at even places, placeholder names at odd ones. */
  private readonly parts: readonly string[];
  private readonly time: TimeLayout;

  constructor(pattern: string, timePattern: string) {
    // Go's formatter adds a newline only to patterns that have none.
    this.parts = (pattern.includes('\n') ? pattern : `${pattern}\n`).split(PLACEHOLDER);
    this.time = new TimeLayout(timePattern);
  }

  format(line: LogLine): string {
    let text = '';
    for (const [index, part] of this.parts.entries()) {
      text += index % 2 === 0 ? part : this.value(part, line);
    }
    return text;
  }

  private value(placeholder: string, line: LogLine): string {
    switch (placeholder) {
      case 'time':
        return this.time.format(line.timeMs);
      case 'level':
        return line.level;
      case 'field':
        return escape(formatFields(line.fields));
      default:
        return escape(line.message);
    }
  }
}

/** `k=v` joined by `,`, in the order given. */
function formatFields(fields: Labels): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

function escape(text: string): string {
  return text.replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1));
}
