/**
 * The log of the process: pino underneath, printed in the original's pattern or as JSON.
 *
 *   Log.warn ──> pino (level, serialization) ──> PatternLines ──> buffered stdout
 *                                     └── format: json ─────────────────┘
 */
import { destination as openDestination, pino } from 'pino';
import type { Logger } from 'pino';
import type { Clock } from '../../base/index.js';
import type { Labels, Log } from '../../core/telemetry.js';
import { LogPattern } from './log-pattern.js';
import { RepeatedLines } from './repeated-lines.js';

/** The section `logger` of the configuration, by its own names. */
export interface LogSettings {
  readonly level: string;
  readonly log_pattern: string;
  readonly time_pattern: string;
  readonly format: 'pattern' | 'json';
}

/** Where lines go; `write` gets whole lines. */
export interface LogOutput {
  write(text: string): void;
  /** Hands everything to the operating system before it returns. */
  flushSync?(): void;
}

/** A log that can be ended. */
export interface ProcessLog extends Log {
  /** Writes outstanding sums and flushes; the log stays usable. */
  flush(): void;
}

/** A reader of stdout that stalls costs us lines, never memory nor time of the data path. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** The original's level names, as pino's. */
const LEVELS: Readonly<Record<string, string>> = {
  panic: 'fatal',
  fatal: 'fatal',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
};

type RepeatedLevel = 'info' | 'warn' | 'error';

/** Standard output, written asynchronously; what is buffered at exit is flushed by pino's exit hook. */
export function openStandardOutput(): LogOutput {
  return openDestination({ dest: 1, sync: false, maxLength: MAX_BUFFERED_BYTES });
}

/** An unknown level counts as info, with a line that says so. */
export function createLog(settings: LogSettings, clock: Clock, output: LogOutput): ProcessLog {
  const level = LEVELS[settings.level.trim().toLowerCase()];
  const target =
    settings.format === 'json'
      ? output
      : new PatternLines(new LogPattern(settings.log_pattern, settings.time_pattern), clock, output);
  const options = {
    level: level ?? 'info',
    base: null,
    timestamp: () => `,"time":"${new Date(clock.wallNow()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: spell(label) }) },
  };
  const log = new PinoLog(pino(options, target), clock, output);
  if (level === undefined) log.warn(`unknown log level "${settings.level}", using info`);
  return log;
}

/** `warn` is printed `warning`, as by the original. */
function spell(level: string): string {
  return level === 'warn' ? 'warning' : level;
}

/** How a destination asks pino for the `last…` members. */
const NEEDS_METADATA: unique symbol = Symbol.for('pino.metadata');

/**
 * A destination of pino that prints lines by a pattern. pino leaves what it was called with in the `last…` members of a
 * destination that asks for it, so nothing has to be parsed back.
 */
class PatternLines {
  readonly [NEEDS_METADATA] = true;
  lastLevel = 0;
  lastObj: Labels | null = null;
  lastMsg: string | undefined = '';
  private readonly pattern: LogPattern;
  private readonly clock: Clock;
  private readonly output: LogOutput;

  constructor(pattern: LogPattern, clock: Clock, output: LogOutput) {
    this.pattern = pattern;
    this.clock = clock;
    this.output = output;
  }

  write(): void {
    const line = {
      timeMs: this.clock.wallNow(),
      level: spell(pino.levels.labels[this.lastLevel] ?? 'info'),
      message: this.lastMsg ?? '',
      fields: this.lastObj ?? {},
    };
    this.output.write(this.pattern.format(line));
  }
}

class PinoLog implements ProcessLog {
  private readonly logger: Logger;
  private readonly output: LogOutput;
  private readonly repeats: RepeatedLines<RepeatedLevel>;

  constructor(logger: Logger, clock: Clock, output: LogOutput) {
    this.logger = logger;
    this.output = output;
    this.repeats = new RepeatedLines(clock, (level, message, fields) => {
      this.logger[level](fields, message);
    });
  }

  debug(message: string, fields: Labels = {}): void {
    this.logger.debug(fields, message);
  }

  info(message: string, fields: Labels = {}): void {
    this.logger.info(fields, message);
  }

  warn(message: string, fields: Labels = {}): void {
    this.logger.warn(fields, message);
  }

  error(message: string, fields: Labels = {}): void {
    this.logger.error(fields, message);
  }

  repeated(level: RepeatedLevel, key: string, message: string, fields: Labels = {}): void {
    if (this.logger.isLevelEnabled(level)) this.repeats.add(level, key, message, fields);
  }

  flush(): void {
    this.repeats.flush();
    this.output.flushSync?.();
  }
}
