import type { Labels, Log } from '../../core/telemetry.js';

/** A log whose lines carry fields of their own, such as the pipe they come from; repeated lines are told apart by them. */
export class ScopedLog implements Log {
  private readonly log: Log;
  private readonly scope: Labels;
  private readonly keyPrefix: string;

  constructor(log: Log, scope: Labels) {
    this.log = log;
    this.scope = scope;
    this.keyPrefix = Object.values(scope).join('/');
  }

  debug(message: string, fields?: Labels): void {
    this.log.debug(message, { ...this.scope, ...fields });
  }

  info(message: string, fields?: Labels): void {
    this.log.info(message, { ...this.scope, ...fields });
  }

  warn(message: string, fields?: Labels): void {
    this.log.warn(message, { ...this.scope, ...fields });
  }

  error(message: string, fields?: Labels): void {
    this.log.error(message, { ...this.scope, ...fields });
  }

  repeated(level: 'info' | 'warn' | 'error', key: string, message: string, fields?: Labels): void {
    this.log.repeated(level, `${this.keyPrefix}/${key}`, message, { ...this.scope, ...fields });
  }
}
