import { test } from 'node:test';
import { killOften } from '../../support/disk-kill.js';

/** DISK_QUEUE_KILLS=200 before a release: about a second each. */
const KILLS = Number(process.env.DISK_QUEUE_KILLS ?? 60);

test(`kill -9 loses nothing that was acknowledged, ${KILLS} times`, { timeout: 600_000 }, async (t) => {
  await killOften(t, KILLS);
});
