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

async function startSatellite(t: TestContext, oap: string, shutdownSeconds: number): Promise<Satellite> {
  // Windows that would not close by themselves before the test is over.
  const config = writeAlsConfig({ oaps: [oap], receiverOptions: { flush_time: 60_000 } });
  const satellite = await Satellite.start({ config, args: ['-t', `${shutdownSeconds}`] });
  t.after(() => satellite.child.kill());
  return satellite;
}

async function sendUntilReceived(satellite: Satellite): Promise<{ envoy: IndependentEnvoy; paths: string[] }> {
  const paths = pathsFor('last', ENTRIES);
  const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: 'open', version: 'v3' });
  await envoy.send(paths);
  await eventually({ until: 'the entries are received', withinMs: 5_000, everyMs: 20 }, async () => {
    return (await satellite.readBooks(PIPE)).received === ENTRIES ? true : undefined;
  });
  return { envoy, paths };
}

test('SIGTERM ends open streams with OK and delivers what their windows hold, then exits with 0', async (t) => {
  const oap = await new IndependentOap().start();
  t.after(() => oap.kill());
  const satellite = await startSatellite(t, oap.address, 10);
  const { envoy, paths } = await sendUntilReceived(satellite);

  const [exit, error] = await Promise.all([satellite.stop('SIGTERM'), envoy.waitEnded()]);

  assert.deepEqual(exit, { code: 0, signal: null });
  assert.equal(error, null);
  assert.deepEqual(findFaults(oap.http.get('open') ?? new Map<string, number>(), paths), []);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends it in time with every OAP down, and the log says what was dropped`, async (t) => {
    const [closed] = (await findFreePorts(1)) as [number];
    const satellite = await startSatellite(t, `127.0.0.1:${closed}`, 1);
    const { envoy } = await sendUntilReceived(satellite);
    const [exit] = await Promise.all([satellite.stop(signal), envoy.waitEnded()]);
    assert.deepEqual(exit, { code: 0, signal: null });
    assert.match(
      satellite.child.output,
      new RegExp(`\\b${ENTRIES}\\b.*(dropped|shutdown)|(dropped|shutdown).*\\b${ENTRIES}\\b`),
    );
  });
}

test('a second signal ends it at once', async (t) => {
  const [closed] = (await findFreePorts(1)) as [number];
  const satellite = await startSatellite(t, `127.0.0.1:${closed}`, 600);
  const { envoy } = await sendUntilReceived(satellite);
  satellite.child.signal('SIGTERM');
  await envoy.waitEnded();
  const exit = await satellite.stop('SIGTERM');
  assert.equal(exit.signal, null);
  assert.notEqual(exit.code, 0);
});
