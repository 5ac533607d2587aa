import type { FleetStats } from './options.js';

/** What a fleet counts while it runs; `FleetStats` is its snapshot with a few facts more. */
export type FleetCounters = Record<Exclude<keyof FleetStats, 'envoys' | 'cpuMs' | 'isProducing'>, number>;

export function createFleetCounters(): FleetCounters {
  return {
    entries: 0,
    messages: 0,
    bytes: 0,
    identifierBytes: 0,
    firstMessages: 0,
    shedEntries: 0,
    connections: 0,
    streams: 0,
    connects: 0,
    reconnects: 0,
    connectFailures: 0,
    lostConnections: 0,
    endedStreams: 0,
    abandonedMessages: 0,
  };
}
