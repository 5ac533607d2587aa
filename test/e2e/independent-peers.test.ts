import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { collect, findFaults, IndependentOap } from '../support/independent-oap.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';

const MESSAGES = 30;
const ENTRIES = 8;
const ENVOYS = 12;

async function startOaps(t: TestContext, count: number): Promise<IndependentOap[]> {
  const oaps = await Promise.all(Array.from({ length: count }, () => new IndependentOap().start()));
  t.after(() => {
    for (const oap of oaps) oap.kill();
  });
  return oaps;
}

async function startSatellite(t: TestContext, oaps: readonly IndependentOap[]): Promise<Satellite> {
  const config = writeAlsConfig({ oaps: oaps.map((oap) => oap.address), receiverOptions: { flush_time: 100 } });
  const satellite = await Satellite.start({ config });
  t.after(() => satellite.stop());
  return satellite;
}

function pathsOf(nodeId: string, message: number): string[] {
  return Array.from({ length: ENTRIES }, (_, entry) => `/${nodeId}/${message}/${entry}`);
}

for (const version of ['v2', 'v3'] as const) {
  test(`entries of grpc-js ${version} clients reach grpc-js servers under the right node, each once`, async (t) => {
    const oaps = await startOaps(t, 3);
    const satellite = await startSatellite(t, oaps);

    const nodeIds = Array.from({ length: ENVOYS }, (_, index) => `sidecar~10.0.0.${index}~${version}`);
    const answers = await Promise.all(
      nodeIds.map(async (nodeId) => {
        const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId, version });
        for (let message = 0; message < MESSAGES; message++) {
          await envoy.send(pathsOf(nodeId, message));
          await envoy.sendTcp(1);
        }
        return envoy.finish();
      }),
    );
    assert.deepEqual(answers, Array<null>(ENVOYS).fill(null));

    const entries = ENVOYS * MESSAGES * (ENTRIES + 1);
    const books = await eventually({ until: 'Satellite holds nothing', withinMs: 15_000 }, async () => {
      const now = await satellite.readBooks(`envoy-als-${version}`);
      return now.received === entries && now.held === 0 ? now : undefined;
    });
    assert.deepEqual(books, { received: entries, delivered: entries, dropped: 0, held: 0 });

    const { http, tcp } = collect(oaps);
    assert.deepEqual([...http.keys()].sort(), [...nodeIds].sort());
    for (const nodeId of nodeIds) {
      const expected = Array.from({ length: MESSAGES }, (_, message) => pathsOf(nodeId, message)).flat();
      assert.deepEqual(findFaults(http.get(nodeId) ?? new Map<string, number>(), expected), []);
      assert.equal(tcp.get(nodeId), MESSAGES);
    }
  });
}

test('a stream that stays open is delivered while it is open', async (t) => {
  const oaps = await startOaps(t, 1);
  const satellite = await startSatellite(t, oaps);
  const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: 'long', version: 'v3' });
  await envoy.send(pathsOf('long', 0));
  await eventually({ until: 'the first message has arrived', withinMs: 10_000 }, () => {
    return oaps[0]?.httpEntries === ENTRIES ? true : undefined;
  });
  await envoy.send(pathsOf('long', 1));
  await eventually({ until: 'the second message has arrived under the same node', withinMs: 10_000 }, () => {
    return oaps[0]?.http.get('long')?.size === 2 * ENTRIES ? true : undefined;
  });
  assert.equal(await envoy.finish(), null);
});

test('an OAP that allows four calls on a connection gets everything all the same', async (t) => {
  const oap = await new IndependentOap(0, { 'grpc.max_concurrent_streams': 4 }).start();
  t.after(() => oap.kill());
  const satellite = await startSatellite(t, [oap]);
  const nodeIds = Array.from({ length: ENVOYS }, (_, index) => `sidecar~10.0.1.${index}`);
  await Promise.all(
    nodeIds.map(async (nodeId) => {
      const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId, version: 'v3' });
      for (let message = 0; message < MESSAGES; message++) await envoy.send(pathsOf(nodeId, message));
      assert.equal(await envoy.finish(), null);
    }),
  );
  await eventually({ until: 'everything has arrived', withinMs: 15_000 }, () => {
    return oap.httpEntries >= ENVOYS * MESSAGES * ENTRIES ? true : undefined;
  });
  assert.equal(oap.httpEntries, ENVOYS * MESSAGES * ENTRIES);
});
