/** What all calls of one owner (a server, a dialer's connection) share. */
import type { Clock, TimerWheel } from '../../base/index.js';
import type { ReassemblyMeter } from './reassembly-meter.js';

export interface CallEnvironment {
  readonly clock: Clock;
  /** For deadlines. */
  readonly wheel: TimerWheel;
  readonly meter: ReassemblyMeter;
  readonly maxReceiveMessageBytes: number;
  /** A callback of the layer above threw: a bug there. The call has been ended with INTERNAL. */
  onHandlerError(path: string, error: unknown): void;
}
