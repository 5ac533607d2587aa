import type { Log } from '../core/telemetry.js';

export interface StopSignal {
  /** Resolves at the first SIGTERM or SIGINT. */
  readonly requested: Promise<void>;
  /** Takes the handlers off again. */
  dispose(): void;
}

/** Exit code of a process that a second signal ends in the middle of its drain. */
const EXIT_INTERRUPTED = 1;

/** Listens for the signals that end the process; a second one ends it at once. SIGHUP is told and ignored. */
export function waitForStop(log: Log): StopSignal {
  let isStopping = false;
  let resolveRequested: () => void;
  const requested = new Promise<void>((resolve) => {
    resolveRequested = resolve;
  });
  const onStop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(EXIT_INTERRUPTED);
    isStopping = true;
    log.info(`${signal}: draining; a second signal ends at once`);
    resolveRequested();
  };
  const onHangup = (): void => {
    log.warn('SIGHUP: the configuration is read at start only; send SIGTERM to stop');
  };
  process.on('SIGTERM', onStop);
  process.on('SIGINT', onStop);
  process.on('SIGHUP', onHangup);
  return {
    requested,
    dispose: () => {
      process.off('SIGTERM', onStop);
      process.off('SIGINT', onStop);
      process.off('SIGHUP', onHangup);
    },
  };
}
