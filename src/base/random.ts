/** Chance as a parameter: a uniform number in [0, 1). Tests pass a seeded source. */
export type Random = () => number;

/** The random source of the running process. */
export const systemRandom: Random = Math.random;

/**
 * A small seeded source for tests, simulated fleets and reproducible jitter (mulberry32).
 * @units `seed` is taken modulo 2^32.
 */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
