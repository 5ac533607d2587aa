/**
 * A fuzzer led by what its target says: an input that makes the target answer in a way not seen before joins the corpus
 * and is mutated further. Inputs that broke something are kept as files below test/fuzz/seeds/ and run first, for ever.
 *
 *   SATELLITE_FUZZ_MS     time for each target, 3000 by default
 *   SATELLITE_FUZZ_SEED   start of the chance, fixed by default; `random` for another one each time
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSeededRandom, type Random } from '../../src/base/index.js';
import { repositoryUrl } from './repository.js';

const DEFAULT_TIME_MS = 3_000;
const DEFAULT_SEED = 7541;
/** Inputs grow by mutation; larger ones find nothing that smaller ones do not. */
const MAX_INPUT_BYTES = 4_096;
/** Runs between two looks at the time. */
const RUNS_PER_LOOK = 64;
const MAX_SHRINK_RUNS = 2_000;
/** Numbers at which codecs of bytes change their mind. */
const EDGE_BYTES = [0x00, 0x01, 0x0f, 0x10, 0x1f, 0x20, 0x3f, 0x40, 0x7f, 0x80, 0xc0, 0xff];

export interface FuzzTarget {
  /** Folder of its kept seeds. */
  readonly name: string;
  /** Well-formed inputs to start from. */
  readonly examples: readonly Uint8Array[];
  /**
   * Runs one input; `random` for choices of the target's own, the same for the same input.
   * @returns A short text that says how the target answered. @throws When an invariant is broken.
   */
  run(input: Uint8Array, random: Random): string;
}

export interface FuzzOptions {
  readonly timeMs?: number;
  readonly seed?: number;
  /** Where kept seeds lie, and where what breaks something is written. */
  readonly seedsFolder?: string;
}

export interface FuzzReport {
  readonly runs: number;
  readonly keptSeeds: number;
  /** Different answers seen. */
  readonly answers: number;
}

/** Runs kept seeds, examples, then mutations until the time is over. @throws With the file of the input that broke it. */
export function fuzz(target: FuzzTarget, options: FuzzOptions = {}): FuzzReport {
  const timeMs = options.timeMs ?? Number(process.env.SATELLITE_FUZZ_MS ?? DEFAULT_TIME_MS);
  const seed = options.seed ?? chosenSeed();
  const folder = options.seedsFolder ?? fileURLToPath(repositoryUrl(`test/fuzz/seeds/${target.name}`));
  const random = createSeededRandom(seed);
  const corpus: Uint8Array[] = [];
  const answers = new Set<string>();
  const tryInput = (input: Uint8Array): void => {
    const answer = runGuarded(target, input, folder, seed);
    if (answers.has(answer)) return;
    answers.add(answer);
    corpus.push(input);
  };

  const kept = readSeeds(folder);
  for (const input of [...kept, ...target.examples]) tryInput(input);
  corpus.push(...target.examples);
  const endMs = performance.now() + timeMs;
  let runs = kept.length + target.examples.length;
  while (performance.now() < endMs) {
    for (let index = 0; index < RUNS_PER_LOOK; index++) tryInput(mutate(corpus, random));
    runs += RUNS_PER_LOOK;
  }
  return { runs, keptSeeds: kept.length, answers: answers.size };
}

function chosenSeed(): number {
  const { SATELLITE_FUZZ_SEED: text } = process.env;
  if (text === 'random') return Math.floor(Math.random() * 2 ** 32);
  return text === undefined ? DEFAULT_SEED : Number(text);
}

function runOnce(target: FuzzTarget, input: Uint8Array): string {
  return target.run(input, createSeededRandom(input.length));
}

function runGuarded(target: FuzzTarget, input: Uint8Array, folder: string, seed: number): string {
  try {
    return runOnce(target, input);
  } catch (cause) {
    const small = shrink(target, input);
    const hex = Buffer.from(small).toString('hex');
    const file = join(folder, `${createHash('sha256').update(small).digest('hex').slice(0, 12)}.hex`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${hex}\n`);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${target.name} (seed ${seed}) broke at ${hex}, kept as ${file}: ${reason}`, { cause });
  }
}

/** Cuts pieces out of a breaking input as long as it still breaks. */
function shrink(target: FuzzTarget, input: Uint8Array): Uint8Array {
  let smallest = input;
  let runs = 0;
  for (let size = Math.ceil(input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.length && runs < MAX_SHRINK_RUNS;) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      runs++;
      if (breaks(target, shorter)) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}

function breaks(target: FuzzTarget, input: Uint8Array): boolean {
  try {
    runOnce(target, input);
    return false;
  } catch {
    return true;
  }
}

function readSeeds(folder: string): Uint8Array[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.hex'));
  return names.sort().map((name) => Buffer.from(readFileSync(join(folder, name), 'utf8').replace(/\s+/g, ''), 'hex'));
}

// --- mutation ---

function mutate(corpus: readonly Uint8Array[], random: Random): Uint8Array {
  let bytes = Buffer.from(pick(corpus, random));
  for (let count = 1 + below(4, random); count > 0; count--) bytes = mutateOnce(bytes, corpus, random);
  return bytes.subarray(0, MAX_INPUT_BYTES);
}

function mutateOnce(bytes: Buffer<ArrayBuffer>, corpus: readonly Uint8Array[], random: Random): Buffer<ArrayBuffer> {
  const at = below(bytes.length + 1, random);
  const length = below(Math.min(16, bytes.length - at) + 1, random);
  const before = bytes.subarray(0, at);
  const after = bytes.subarray(at);
  switch (below(6, random)) {
    case 0: // one bit
      return changeByte(bytes, at, (byte) => byte ^ (1 << below(8, random)));
    case 1: // a number that matters
      return changeByte(bytes, at, () => pick(EDGE_BYTES, random));
    case 2: // less
      return Buffer.concat([before, after.subarray(length)]);
    case 3: // a piece twice
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 4: // anything in between
      return Buffer.concat([
        before,
        Buffer.from(Array.from({ length: 1 + below(8, random) }, () => below(256, random))),
        after,
      ]);
    default: {
      // the end of another
      const other = pick(corpus, random);
      return Buffer.concat([before, other.subarray(below(other.length + 1, random))]);
    }
  }
}

function changeByte(bytes: Buffer<ArrayBuffer>, at: number, change: (byte: number) => number): Buffer<ArrayBuffer> {
  const byte = bytes[at];
  if (byte !== undefined) bytes[at] = change(byte);
  return bytes;
}

function pick<T>(choices: readonly T[], random: Random): T {
  const choice = choices[below(choices.length, random)];
  if (choice === undefined) throw new Error('nothing to choose from');
  return choice;
}

/** A whole number from 0 up to but not including `limit`. */
export function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

/** Cuts bytes into chunks, each with memory of its own, as sockets give them. */
export function cutRandomly(bytes: Uint8Array, largest: number, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + below(largest, random);
    chunks.push(new Uint8Array(bytes.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}
