import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  ROGUES,
  startFakeOap,
  startRogueOap,
  type FakeOap,
  type OapOptions,
  type RogueOap,
} from '../../../src/lab/index.js';
import { FaultRun } from '../../support/fault-run.js';

const RESOURCE_EXHAUSTED = 8;
/** So that a call without an answer is given up within the test. */
const IMPATIENT = {
  senderOptions: { stall_timeout: '1s' },
  clientOptions: { timeout: '{ unary: "5s", stream: "1s" }' },
};

async function startOap(t: TestContext, options: Partial<OapOptions>): Promise<FakeOap> {
  const oap = await startFakeOap(options);
  t.after(() => oap.close());
  return oap;
}

test('one OAP stalls, one refuses everything, one never answers: the fourth gets it all, no source is paused', async (t) => {
  const bad = await Promise.all([
    startOap(t, { stall: true }),
    startOap(t, { failRatio: 1, failStatus: RESOURCE_EXHAUSTED }),
    startOap(t, { neverAnswer: true }),
  ]);
  const good = await startOap(t, {});
  const run = await FaultRun.start(t, {
    oaps: [...bad, good].map((oap) => oap.address),
    queueOptions: { event_buffer_size: 200, when_full: 'block' },
    ...IMPATIENT,
  });
  await run.sendMore(10_000);
  const { books, comparison } = await run.settle(() => [...bad, good].flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
  assert.equal(await run.metric('gatherer_pause_count'), 0);
});

test('one OAP does not accept our token any more: the other gets everything', async (t) => {
  const strict = await startOap(t, {});
  const good = await startOap(t, {});
  const run = await FaultRun.start(t, { oaps: [strict.address, good.address] });
  await run.sendMore(2_000);
  strict.set({ token: 'another' });
  await run.sendMore(6_000);
  const { books, comparison } = await run.settle(() => [...strict.books(), ...good.books()]);
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
});

test(`OAPs that break the protocol (${ROGUES.join(', ')}) lose nothing that the one beside them takes`, async (t) => {
  const rogues: RogueOap[] = await Promise.all(ROGUES.map((kind) => startRogueOap(kind)));
  t.after(() => Promise.all(rogues.map((rogue) => rogue.close())));
  const good = await startOap(t, {});
  const oaps = [...rogues.map((rogue) => rogue.address), good.address];
  const run = await FaultRun.start(t, { oaps, ...IMPATIENT });
  await run.sendMore(8_000);
  const { books, comparison } = await run.settle(() => good.books());
  assert.equal(books.dropped, 0);
  assert.equal(comparison.doubledEntries, 0);
  assert.ok(
    rogues.every((rogue) => rogue.calls > 0),
    'a rogue was given nothing',
  );
});
