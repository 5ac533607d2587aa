import { test } from 'node:test';
import { killOften } from '../../support/disk-kill.js';

/** About a second each. */
const KILLS = Number(process.env.DISK_QUEUE_KILLS ?? 200);
const SEED = Number(process.env.DISK_QUEUE_SEED ?? 1);

test(`kill -9 loses nothing that was acknowledged, ${KILLS} times`, { timeout: 10_000 * KILLS }, async (t) => {
  await killOften(t, KILLS, SEED);
});
