import type { ErrorKind } from '../../base/index.js';

/** A place in the configuration file, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** Environment variables that the value there came from: the place to correct it. */
  readonly setBy?: readonly string[];
}

/**
 * How much a problem weighs. `error`: no start. `strict`: a warning at `start`, an error under `validate` (what the
 * original ignores in silence). `warning`: always only told.
 */
export type Severity = 'error' | 'strict' | 'warning';

/** One thing wrong with a configuration, with its place and what to do about it. */
export interface Problem {
  readonly kind: ErrorKind;
  readonly severity: Severity;
  /** Dotted path of the key, such as `pipes[0].sender.flush_time`; empty for the file as a whole. */
  readonly path: string;
  /** Null when the problem lies outside the file's text. */
  readonly position: Position | null;
  readonly message: string;
  /** One sentence in the imperative. */
  readonly remedy: string;
  /** Further lines under it. */
  readonly details: readonly string[];
}

/** Gathers the problems of one load, so that the user sees all of them at once. */
export class Problems {
  private readonly found: Problem[] = [];

  error(
    kind: ErrorKind,
    path: string,
    position: Position | null,
    message: string,
    remedy: string,
    details: readonly string[] = [],
  ): void {
    this.add({ kind, severity: 'error', path, position, message, remedy, details });
  }

  strict(kind: ErrorKind, path: string, position: Position | null, message: string, remedy: string): void {
    this.add({ kind, severity: 'strict', path, position, message, remedy, details: [] });
  }

  warn(kind: ErrorKind, path: string, position: Position | null, message: string, remedy: string): void {
    this.add({ kind, severity: 'warning', path, position, message, remedy, details: [] });
  }

  /** Several decoders may look at one value: its problem is told once. */
  private add(problem: Problem): void {
    const isKnown = this.found.some(({ path, message }) => path === problem.path && message === problem.message);
    if (!isKnown) this.found.push(problem);
  }

  get hasErrors(): boolean {
    return this.found.some((problem) => problem.severity === 'error');
  }

  /** In the order of the file; what has no place comes first. */
  sorted(): readonly Problem[] {
    const lineOf = (problem: Problem): number => problem.position?.line ?? 0;
    const columnOf = (problem: Problem): number => problem.position?.column ?? 0;
    return [...this.found].sort((a, b) => lineOf(a) - lineOf(b) || columnOf(a) - columnOf(b));
  }
}

/** ` (set by NAME)` for a value from the environment, else nothing. */
export function setByText(position: Position | null): string {
  return position?.setBy === undefined ? '' : ` (set by ${position.setBy.join(', ')})`;
}

/** One problem in the form compilers use, so that editors can jump to it. */
export function formatProblem(file: string, problem: Problem): string {
  const place = problem.position === null ? file : `${file}:${problem.position.line}:${problem.position.column}`;
  const subject = problem.path === '' ? '' : `${problem.path}: `;
  const origin = setByText(problem.position);
  const line = `${place}: ${subject}${problem.message}${origin}. ${problem.remedy} [${problem.kind.code}]`;
  return [line, ...problem.details.map((detail) => `    ${detail}`)].join('\n');
}
