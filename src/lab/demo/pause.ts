import type { Clock } from '../../base/index.js';

/** Waits for the time or for the signal, whichever is first. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(Math.max(0, ms), end);
    signal.addEventListener('abort', end);
    function end(): void {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
