import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { findFaults, IndependentOap } from '../support/independent-oap.js';
import { pathsFor } from '../support/load.js';
import { findFreePorts } from '../support/ports.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';

const PIPE = 'envoy-als-v3';
const ENTRIES = 20;

async function startSatellite(
  t: TestContext,
  oaps: readonly string[],
  args: readonly string[] = [],
): Promise<Satellite> {
  const satellite = await Satellite.start({
    config: writeAlsConfig({ oaps, receiverOptions: { flush_time: 50 } }),
    args,
  });
  t.after(() => satellite.child.kill());
  return satellite;
}

async function sendAndHold(satellite: Satellite): Promise<string[]> {
  const paths = pathsFor('held', ENTRIES);
  const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: 'patient', version: 'v3' });
  await envoy.send(paths);
  assert.equal(await envoy.finish(), null);
  await eventually({ until: 'the entries are held', withinMs: 5_000, everyMs: 20 }, async () => {
    return (await satellite.readBooks(PIPE)).held === ENTRIES ? true : undefined;
  });
  return paths;
}

for (const { name, oaps } of [
  { name: 'an empty OAP list', oaps: [] },
  { name: 'an OAP whose name does not resolve', oaps: ['oap.invalid:11800'] },
]) {
  test(`with ${name} it starts, says so once, holds the data and ends in time`, async (t) => {
    const satellite = await startSatellite(t, oaps, ['-t', '1']);
    await sendAndHold(satellite);
    assert.deepEqual(await satellite.readBooks(PIPE), { received: ENTRIES, delivered: 0, dropped: 0, held: ENTRIES });
    const complaints = satellite.child.output.split('\n').filter((line) => /\[(warning|error)\]/.test(line));
    assert.equal(complaints.length, 1, satellite.child.output);
    assert.deepEqual(await satellite.stop(), { code: 0, signal: null });
  });
}

test('data held while no OAP listens is delivered, each entry once, when one appears', async (t) => {
  const [port] = (await findFreePorts(1)) as [number];
  const satellite = await startSatellite(t, [`127.0.0.1:${port}`]);
  const paths = await sendAndHold(satellite);
  const oap = await new IndependentOap(port).start();
  t.after(() => oap.kill());
  await eventually({ until: 'the entries are delivered', withinMs: 30_000 }, async () => {
    return (await satellite.readBooks(PIPE)).delivered === ENTRIES ? true : undefined;
  });
  assert.deepEqual(findFaults(oap.http.get('patient') ?? new Map<string, number>(), paths), []);
});
