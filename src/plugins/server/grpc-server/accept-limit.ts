/** Whether one more connection is taken: by how many are open, and by how busy the process is. */
import type { GrpcServerConfig } from './config.js';
import type { LoadMeter } from './load-meter.js';

/** Why a connection is refused; also the label of the counter. */
export const REFUSALS = {
  connections: 'the connection limit of this server is reached',
  cpu: 'this server is overloaded: the CPU it may use is used up',
  event_loop: 'this server is overloaded: its event loop is busy',
} as const;
export type Refusal = keyof typeof REFUSALS;

/** The label for a reason; the listener refuses by itself only while it closes. */
export function refusalOf(reason: string): Refusal | 'shutdown' {
  const found = Object.entries(REFUSALS).find(([, text]) => text === reason);
  return found === undefined ? 'shutdown' : (found[0] as Refusal);
}

/** Once refused for load, connections are taken again below this part of the limit: else each reading would toggle it. */
const RESUME_RATIO = 0.9;
/**
 * Readings in a row above the limit that make an overload. One is no more than a start or a storm of reconnects: a whole
 * fleet that comes back with its identifiers keeps the process busy for seconds, and must be taken.
 */
const SUSTAINED_READINGS = 2;
/** Limits from here on can never be passed: no limit. */
const NO_LIMIT_PERCENT = 100;

export class AcceptLimit {
  private readonly limits: GrpcServerConfig['accept_limit'];
  private readonly load: LoadMeter;
  private isOverloaded = false;
  private judgedReadings = 0;
  private readingsAbove = 0;

  constructor(limits: GrpcServerConfig['accept_limit'], load: LoadMeter) {
    this.limits = limits;
    this.load = load;
  }

  /** Null: take it. */
  judge(openConnections: number): Refusal | null {
    if (openConnections >= this.limits.connection_count) return 'connections';
    return this.judgeLoad();
  }

  private judgeLoad(): Refusal | null {
    const limit = this.limits.cpu_utilization;
    if (limit >= NO_LIMIT_PERCENT) return null;
    const [cpu, loop] = [this.load.cpuPercent(), this.load.loopPercent()];
    if (this.load.readings !== this.judgedReadings) {
      this.judgedReadings = this.load.readings;
      const isAbove = Math.max(cpu, loop) >= (this.isOverloaded ? limit * RESUME_RATIO : limit);
      this.readingsAbove = isAbove ? this.readingsAbove + 1 : 0;
      this.isOverloaded = this.isOverloaded ? isAbove : this.readingsAbove >= SUSTAINED_READINGS;
    }
    if (!this.isOverloaded) return null;
    return cpu >= loop ? 'cpu' : 'event_loop';
  }
}
