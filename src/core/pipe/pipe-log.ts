import type { Labels, Log } from '../telemetry.js';

/** The log of one pipe: its lines name it, and repeated ones are aggregated for it alone. */
export class PipeLog implements Log {
  private readonly log: Log;
  private readonly pipe: string;

  constructor(log: Log, pipe: string) {
    this.log = log;
    this.pipe = pipe;
  }

  debug(message: string, fields?: Labels): void {
    this.log.debug(message, { pipe: this.pipe, ...fields });
  }

  info(message: string, fields?: Labels): void {
    this.log.info(message, { pipe: this.pipe, ...fields });
  }

  warn(message: string, fields?: Labels): void {
    this.log.warn(message, { pipe: this.pipe, ...fields });
  }

  error(message: string, fields?: Labels): void {
    this.log.error(message, { pipe: this.pipe, ...fields });
  }

  repeated(level: 'info' | 'warn' | 'error', key: string, message: string, fields?: Labels): void {
    this.log.repeated(level, `${this.pipe}-${key}`, message, { pipe: this.pipe, ...fields });
  }
}
