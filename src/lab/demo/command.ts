/** `satellite demo` as typed: flags in, exit code out. */
import { parseArgs } from 'node:util';
import { runDemo } from './demo.js';
import { DEFAULT_DEMO_OPTIONS, type DemoOptions } from './options.js';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Each ends the demo in order; SIGHUP is a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Largest values taken: a laptop's file descriptors, and a demo that ends. */
const LIMITS = { envoys: 5000, rate: 500_000, oaps: 32, seconds: 3600 } as const;

const DEFAULTS = DEFAULT_DEMO_OPTIONS;
export const DEMO_USAGE = `Usage: satellite demo [options]

Runs simulated OAPs, a satellite with the shipped configuration and a fleet of simulated Envoys on free ports of this
machine, shows what they do, and ends with the books: exit code 0 if they balance.

  --envoys N    simulated Envoys (default ${DEFAULTS.envoys}); 0: none, but port 11800 for your own, until Ctrl-C
  --rate N      access-log entries per second of all of them (default ${DEFAULTS.rate})
  --oaps N      simulated OAPs (default ${DEFAULTS.oaps})
  --seconds N   how long (default ${DEFAULTS.seconds})
  --kill-one    kill one OAP after a third of the time, bring it back after two thirds
  -h, --help    this text
`;

/** Runs the demo on this process's terminal; the first Ctrl-C ends it in order. */
export async function runDemoCommand(args: readonly string[]): Promise<number> {
  let options: DemoOptions | 'help';
  try {
    options = parseDemoArguments(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${DEMO_USAGE}`);
    return EXIT_USAGE;
  }
  if (options === 'help') {
    process.stdout.write(DEMO_USAGE);
    return 0;
  }
  const interrupted = new AbortController();
  const onSignal = (): void => {
    interrupted.abort();
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    return await runDemo(options, {
      write: (text) => process.stdout.write(text),
      isTerminal: process.stdout.isTTY,
      signal: interrupted.signal,
    });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT_FAILED;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** @throws with a sentence for the user. */
export function parseDemoArguments(args: readonly string[]): DemoOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      envoys: { type: 'string' },
      rate: { type: 'string' },
      oaps: { type: 'string' },
      seconds: { type: 'string' },
      'kill-one': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const envoys = readCount('envoys', values.envoys, 0);
  return {
    envoys,
    rate: readCount('rate', values.rate),
    oaps: readCount('oaps', values.oaps),
    seconds: envoys === 0 && values.seconds === undefined ? LIMITS.seconds : readCount('seconds', values.seconds),
    killOne: values['kill-one'],
  };
}

function readCount(name: keyof typeof LIMITS, text: string | undefined, least = 1): number {
  if (text === undefined) return DEFAULTS[name];
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > LIMITS[name]) {
    throw new Error(`--${name} takes a whole number from ${least} to ${LIMITS[name]}, not "${text}"`);
  }
  return value;
}
