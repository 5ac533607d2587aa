/**
 * HOT. Which endpoint a batch goes to: a pure function over the endpoints that could take it.
 *
 *   1. speed     weight = how many times slower than the mean of all; 1 within the usual spread, at most MAX_WEIGHT
 *   2. load      bytes in flight × weight: those near the least stay in the choice
 *   3. share     (bytes given in the recent past + this batch) × weight: the least is chosen
 *
 * Step 2 alone would follow every flicker of service times, and always fill the first of several idle endpoints; step 3
 * alone would pile batches on one that has stopped. Together, equal endpoints get equal bytes to within a batch, a slower
 * one gets less in proportion, and one that keeps what it gets is soon left out.
 */
import type { Random } from '../../base/index.js';
import type { EndpointLoad } from './endpoint-load.js';

/** Equal servers differ by this much from chance alone; only what is above counts as slowness. */
const USUAL_SPREAD = 1.5;
/** The slowest endpoint still gets this part of a full share, so that its recovery is seen. */
const MAX_WEIGHT = 8;
/** Loads within this ratio of the least, plus half of a batch like this one, are no difference. */
const LOAD_SLACK_RATIO = 1.5;
const LOAD_SLACK_BATCHES = 0.5;

/**
 * Mean speed of the endpoints whose speed is known.
 * @units bytes per millisecond; 0 when none is known.
 */
export function meanSpeed(loads: readonly EndpointLoad[]): number {
  let sum = 0;
  let known = 0;
  for (let index = 0; index < loads.length; index++) {
    const { msPerByte } = loads[index]!.speed;
    if (msPerByte === 0) continue;
    sum += 1 / msPerByte;
    known++;
  }
  return known === 0 ? 0 : sum / known;
}

/** How many times slower than `speed` an endpoint is beyond the usual spread: 1 … MAX_WEIGHT; 1 when unknown. */
export function weigh(load: EndpointLoad, speed: number): number {
  return Math.min(MAX_WEIGHT, Math.max(1, (load.speed.msPerByte * speed) / USUAL_SPREAD));
}

/**
 * Chooses among `loads`, all of which could take the batch.
 * @returns an index, or -1 when there are none.
 * @cost O(n), no allocation.
 */
export function pick(loads: readonly EndpointLoad[], bytes: number, nowMs: number, random: Random): number {
  const count = loads.length;
  if (count <= 1) return count - 1;
  const speed = meanSpeed(loads);
  let leastLoad = Infinity;
  for (let index = 0; index < count; index++) {
    const load = loads[index]!;
    leastLoad = Math.min(leastLoad, load.inFlightBytes * weigh(load, speed));
  }
  const limit = leastLoad * LOAD_SLACK_RATIO + bytes * LOAD_SLACK_BATCHES;
  // Where to begin decides only between exact equals: at first, when nobody has got anything. Every process by its own luck.
  let index = Math.floor(random() * count);
  let chosen = -1;
  let leastShare = Infinity;
  for (let step = 0; step < count; step++) {
    const load = loads[index]!;
    const weight = weigh(load, speed);
    if (load.inFlightBytes * weight <= limit) {
      const share = (load.givenBytes(nowMs) + bytes) * weight;
      if (share < leastShare) {
        leastShare = share;
        chosen = index;
      }
    }
    index = index + 1 === count ? 0 : index + 1;
  }
  return chosen;
}
