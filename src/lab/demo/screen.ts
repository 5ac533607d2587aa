/** How the demo looks: a table that redraws itself in a terminal, one line a second elsewhere. */
import type { DemoIo, DemoOptions } from './options.js';
import type { Interval, Sample } from './sample.js';

const BAR_CELLS = 24;
const CLEAR_LINE = '\u001b[2K';

export class Screen {
  private readonly io: DemoIo;
  private readonly options: DemoOptions;
  /** Lines of the table that stands above the cursor. */
  private drawnLines = 0;

  constructor(io: DemoIo, options: DemoOptions) {
    this.io = io;
    this.options = options;
  }

  show(second: number, sample: Sample, interval: Interval, deadOap: number): void {
    if (!this.io.isTerminal) {
      this.io.write(`${plainLine(second, sample, interval)}\n`);
      return;
    }
    const lines = table(this.options, second, sample, interval, deadOap);
    const up = this.drawnLines === 0 ? '' : `\u001b[${this.drawnLines}A`;
    this.io.write(`${up}${lines.map((line) => `${CLEAR_LINE}${line}\n`).join('')}`);
    this.drawnLines = lines.length;
  }

  /** A sentence that stays. */
  say(text: string): void {
    this.drawnLines = 0;
    this.io.write(`${text}\n`);
  }
}

function table(options: DemoOptions, second: number, sample: Sample, interval: Interval, deadOap: number): string[] {
  const { satellite } = sample;
  return [
    '',
    `  ${options.envoys} Envoys → satellite → ${options.oaps} OAPs    second ${second} of ${options.seconds}`,
    '',
    `  in        ${count(interval.entriesIn)} entries/s   ${count(interval.messagesIn)} messages/s   ${megabytes(interval.bytesIn)} MB/s`,
    `  out       ${count(interval.entriesOut)} entries/s`,
    ...interval.perOap.map((rate, index) => oapLine(index, rate, interval.entriesOut, index === deadOap)),
    `  balance   max/mean ${interval.maxOverMean.toFixed(2)}`,
    `  latency   p50 ${count(interval.latencyP50Ms)} ms   p99 ${count(interval.latencyP99Ms)} ms   from Envoy to OAP`,
    `  satellite CPU ${percent(interval.cpuRatio)} of a core   memory ${megabytes(satellite.residentBytes)} MB   retries ${count(satellite.retries)}`,
    `  ledger    ${ledgerLine(sample)}`,
    '',
  ];
}

function oapLine(index: number, rate: number, total: number, isDead: boolean): string {
  const share = total === 0 ? 0 : rate / total;
  const bar = '█'.repeat(Math.round(share * BAR_CELLS)).padEnd(BAR_CELLS, '░');
  return `    OAP ${index + 1}   ${bar} ${percent(share).padStart(6)}  ${isDead ? 'killed' : `${count(rate)}/s`}`;
}

function plainLine(second: number, sample: Sample, interval: Interval): string {
  const shares = interval.perOap.map((rate) => percent(interval.entriesOut === 0 ? 0 : rate / interval.entriesOut));
  return [
    `second ${second}:`,
    `in ${count(interval.entriesIn)}/s,`,
    `out ${count(interval.entriesOut)}/s (${shares.join(' ')}, max/mean ${interval.maxOverMean.toFixed(2)}),`,
    `latency p50 ${count(interval.latencyP50Ms)} ms p99 ${count(interval.latencyP99Ms)} ms,`,
    `CPU ${percent(interval.cpuRatio)}, memory ${megabytes(sample.satellite.residentBytes)} MB,`,
    ledgerLine(sample),
  ].join(' ');
}

function ledgerLine({ satellite }: Sample): string {
  const { received, delivered, dropped, held } = satellite;
  return `received ${count(received)} = delivered ${count(delivered)} + dropped ${count(dropped)} + held ${count(held)}`;
}

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
