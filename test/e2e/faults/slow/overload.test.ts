import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeOap } from '../../../../src/lab/index.js';
import { FaultRun } from '../../../support/fault-run.js';
import { readMemory } from '../../../support/memory.js';

const BUDGET_MIB = 64;
/** Node's program, the heap, and buffers that are not data: resident memory beside the budget. */
const BESIDE_MIB = 100;
const OUTAGE_S = Number(process.env.OUTAGE_SECONDS ?? 60);
/** 20 MB a second: the budget is full after a few seconds. */
const RATE = 16_000;

const ENTRIES = { pipe: 'envoy-als-v3', unit: 'entries' };

for (const stallOf of ['windows', 'answers'] as const) {
  test(`with every OAP stalled (no ${stallOf}) and twice the normal input memory is bounded, and every drop counted`, async (t) => {
    const stall = stallOf === 'windows' ? { stall: true } : { neverAnswer: true };
    const oaps = await Promise.all([startFakeOap(stall), startFakeOap(stall)]);
    t.after(() => Promise.all(oaps.map((oap) => oap.close())));
    const run = await FaultRun.start(t, {
      oaps: oaps.map((oap) => oap.address),
      fleet: { envoys: 100, entriesPerSecond: RATE },
      queueOptions: { event_buffer_size: 1_000_000 },
      memoryLimit: `${BUDGET_MIB}MiB`,
    });
    await run.sendMore(OUTAGE_S * RATE, 60_000 + 2000 * OUTAGE_S);
    const { dropped } = await run.books();
    assert.ok(dropped > 0, 'the budget is not used up');
    const memory = readMemory(run.satellite.child.pid);
    t.diagnostic(`private memory ${memory.privateMib} MiB, RSS ${memory.rssMib} MiB, ${dropped} entries dropped`);
    assert.ok(memory.rssMib <= BUDGET_MIB + BESIDE_MIB, `${memory.rssMib} MiB`);
    for (const oap of oaps) oap.set({ stall: false, neverAnswer: false });
    const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()), 60_000);
    assert.equal(await run.metric('ledger_dropped_count', { ...ENTRIES, reason: 'memory_budget' }), books.dropped);
  });
}
