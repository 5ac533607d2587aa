import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBooks, startFakeOap, startFleet } from '../../../src/lab/index.js';
import { eventually } from '../../support/eventually.js';
import { Satellite, writeAlsConfig } from '../../support/satellite.js';

const PIPE = 'envoy-als-v3';
const ENVOYS = 1_000;
/** What a stock Envoy sends: its node lists every extension it was built with. */
const IDENTIFIER_BYTES = 63 * 1024;
const STORM_MS = 1_000;
const BUDGET = '256MiB';

test('a thousand Envoys that connect within a second, each with a first message of 63 KB, are all taken', async (t) => {
  const oap = await startFakeOap();
  const satellite = await Satellite.start({
    config: (ports) => `${writeAlsConfig({ oaps: [oap.address] })(ports)}\nresources: { memory_limit: ${BUDGET} }\n`,
  });
  const fleet = startFleet({
    port: satellite.grpcPort,
    envoys: ENVOYS,
    entriesPerSecond: ENVOYS,
    identifierBytes: IDENTIFIER_BYTES,
    greet: true,
    connectOverMs: STORM_MS,
    seconds: 60,
  });
  t.after(async () => {
    await fleet.stop();
    await satellite.child.kill();
    await oap.close();
  });

  await eventually({ until: 'every Envoy has sent its first message', withinMs: 30_000 }, () => {
    return fleet.stats().firstMessages >= ENVOYS ? true : undefined;
  });
  // The same again on the running process: every connection is replaced.
  fleet.reconnectAll(STORM_MS);
  await eventually({ until: 'every Envoy has sent its first message again', withinMs: 30_000 }, () => {
    return fleet.stats().firstMessages >= 2 * ENVOYS ? true : undefined;
  });

  const sent = await fleet.stop();
  assert.deepEqual(
    { failures: sent.connectFailures, lost: sent.lostConnections, ended: sent.endedStreams, shed: sent.shedEntries },
    { failures: 0, lost: 0, ended: 0, shed: 0 },
  );
  const books = await eventually({ until: 'Satellite holds nothing', withinMs: 20_000 }, async () => {
    const now = await satellite.readBooks(PIPE);
    return now.received >= sent.entries && now.held === 0 ? now : undefined;
  });
  assert.deepEqual(books, { received: sent.entries, delivered: sent.entries, dropped: 0, held: 0 });
  const comparison = compareBooks(fleet.entriesByEnvoy(), oap.books());
  assert.equal(comparison.missingEntries, 0, comparison.examples.join('; '));
  assert.equal(comparison.doubledEntries, 0);
});
