/** Logs for tests: one that says nothing and one that remembers. */
import type { Labels, Log } from '../../src/core/telemetry.js';

export interface CapturedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Labels;
  /** Set on lines of `repeated`. */
  readonly key?: string;
}

/** Remembers every line; `repeated` lines are remembered one by one, without aggregation. */
export class CapturingLog implements Log {
  readonly lines: CapturedLine[] = [];

  debug(message: string, fields: Labels = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: Labels = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: Labels = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: Labels = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  repeated(level: 'info' | 'warn' | 'error', key: string, message: string, fields: Labels = {}): void {
    this.lines.push({ level, key, message, fields });
  }

  /** Messages of one level, in order. */
  messages(level: CapturedLine['level']): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }
}

const ignore = (): void => undefined;

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, repeated: ignore };
