import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startFakeOap, startFaultyNetwork, type FakeOap, type FaultyNetwork } from '../../../src/lab/index.js';
import { eventually } from '../../support/eventually.js';
import { FaultRun } from '../../support/fault-run.js';

const IMPATIENT = {
  senderOptions: { stall_timeout: '1s' },
  clientOptions: { timeout: '{ unary: "5s", stream: "1s" }' },
};

interface Stage {
  readonly oaps: readonly [FakeOap, FakeOap];
  /** Before the first of them. */
  readonly network: FaultyNetwork;
  readonly run: FaultRun;
}

async function start(t: TestContext): Promise<Stage> {
  const oaps = await Promise.all([startFakeOap(), startFakeOap()]);
  const network = await startFaultyNetwork({ port: oaps[0].port });
  t.after(async () => {
    await network.close();
    await Promise.all(oaps.map((oap) => oap.close()));
  });
  const run = await FaultRun.start(t, { oaps: [network.address, oaps[1].address], ...IMPATIENT });
  await run.sendMore(2_000);
  return { oaps, network, run };
}

async function waitUsedAgain({ oaps }: Stage): Promise<void> {
  const before = oaps[0].stats().acceptedEntries;
  await eventually({ until: 'the OAP behind the network is in use again', withinMs: 15_000 }, () => {
    return oaps[0].stats().acceptedEntries > before ? true : undefined;
  });
}

async function settle({ oaps, run }: Stage): Promise<void> {
  const { books } = await run.settle(() => oaps.flatMap((oap) => oap.books()));
  assert.equal(books.dropped, 0);
}

test('connections that are reset again and again, and then refused, cost nothing', async (t) => {
  const stage = await start(t);
  for (let round = 0; round < 5; round++) {
    stage.network.resetAll();
    await stage.run.sendMore(600);
  }
  stage.network.refuse(true);
  stage.network.resetAll();
  await stage.run.sendMore(2_000);
  stage.network.refuse(false);
  await waitUsedAgain(stage);
  await settle(stage);
});

test('a network that swallows everything without closing anything is left, and used again when it is back', async (t) => {
  const stage = await start(t);
  stage.network.freeze(true);
  await stage.run.sendMore(8_000);
  stage.network.freeze(false);
  await waitUsedAgain(stage);
  await settle(stage);
});
