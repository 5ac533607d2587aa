/** Contenders in one case after the other, taking turns: whatever else the machine does, it does to all of them. */
import type { BenchCase } from './cases.js';
import { describeMachine } from './machine.js';
import { measure, type Contender, type RunResult, type RunSettings } from './measure.js';

/** All runs of one case, and where they were measured. */
export interface CaseResult {
  readonly bench: BenchCase;
  readonly runs: readonly RunResult[];
  readonly machine: string;
  readonly date: string;
  readonly seconds: number;
  readonly oaps: number;
}

export async function compare(
  bench: BenchCase,
  contenders: readonly Contender[],
  rounds: number,
  settings: RunSettings,
): Promise<CaseResult> {
  const runs: RunResult[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const result = await measure(bench, contender, settings);
      runs.push(result);
      process.stdout.write(
        `case ${bench.number} run ${round + 1} ${contender.name}: ${result.cpuMicrosPerMessage.toFixed(1)} µs/message, ` +
          `${(result.residentBytes / 1e6).toFixed(0)} MB, ${result.messagesPerSecond.toFixed(0)} messages/s, ` +
          `lost ${result.lostEntries}, fleet ${result.fleetMicrosPerMessage.toFixed(1)} µs, OAP ${result.oapMicrosPerMessage.toFixed(1)} µs\n`,
      );
    }
  }
  return { bench, runs, ...describeMachine(), seconds: settings.seconds, oaps: settings.oaps };
}
