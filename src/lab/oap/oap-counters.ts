import type { OapStats } from './options.js';

/** What a fake OAP counts; `OapStats` is its snapshot with a few facts more. */
export type OapCounters = Record<
  Exclude<keyof OapStats, 'port' | 'latencyP50Ms' | 'latencyP99Ms' | 'latency' | 'cpuMs'>,
  number
>;

export function createOapCounters(): OapCounters {
  return {
    calls: 0,
    openCalls: 0,
    acceptedCalls: 0,
    failedCalls: 0,
    cancelledCalls: 0,
    messages: 0,
    entries: 0,
    bytes: 0,
    acceptedMessages: 0,
    acceptedEntries: 0,
    acceptedBytes: 0,
    identifiers: 0,
    identifierBytes: 0,
    messagesWithoutIdentity: 0,
    malformedMessages: 0,
    misplacedEntries: 0,
    doubledEntries: 0,
    foreignEntries: 0,
    otherMessages: 0,
  };
}
