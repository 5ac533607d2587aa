/**
 * The last line of defence. What goes wrong is met where its damage ends: a handler's exception ends its call, a
 * connection's ends the connection, a plugin's pauses its pipe. What passes all of these ends here: it is told once,
 * counted, and the process lives, for whatever a source sends must not stop the others.
 */
import { SatelliteError } from '../base/index.js';
import type { Log, MetricDefinition, Metrics } from '../core/telemetry.js';

export const SUPERVISOR_METRICS = {
  uncaught: {
    name: 'satellite_uncaught_errors_count',
    type: 'counter',
    help: 'Exceptions and rejected promises that nothing met before the supervisor. Each is a bug; please report its log line.',
    labels: ['origin'],
    stability: 'stable',
  },
} as const satisfies Record<string, MetricDefinition>;

export interface Supervisor {
  /** Takes the handlers off again. */
  dispose(): void;
}

/** Keeps the process alive from now on. */
export function superviseProcess(log: Log, metrics: Metrics): Supervisor {
  const watch = (event: 'uncaughtException' | 'unhandledRejection', origin: string): (() => void) => {
    const count = metrics.counter(SUPERVISOR_METRICS.uncaught, { origin });
    const listener = (thrown: unknown): void => {
      count.value++;
      report(log, origin, thrown);
    };
    process.on(event, listener);
    return () => process.off(event, listener);
  };
  const removers = [watch('uncaughtException', 'exception'), watch('unhandledRejection', 'rejection')];
  return {
    dispose: () => {
      for (const remove of removers) remove();
    },
  };
}

function report(log: Log, origin: string, thrown: unknown): void {
  const { code, message } = SatelliteError.from(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? message) : message;
  log.repeated('error', `uncaught ${message}`, 'an error that nothing met; the process goes on', {
    origin,
    code,
    error: stack,
  });
}
