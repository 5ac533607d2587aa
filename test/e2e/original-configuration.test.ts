import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../support/eventually.js';
import { sumOf } from '../support/exposition.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { collect, findFaults, IndependentOap } from '../support/independent-oap.js';
import { pathsFor } from '../support/load.js';
import { repositoryUrl } from '../support/repository.js';
import { Satellite } from '../support/satellite.js';

const ENTRIES = 200;
const PER_MESSAGE = 10;
/** The settings that the original publishes for 100 000 entries a second. */
const PUBLISHED = {
  SATELLITE_QUEUE_PARTITION: '50',
  SATELLITE_QUEUE_EVENT_BUFFER_SIZE: '3000',
  SATELLITE_ENVOY_ALS_V2_PIPE_RECEIVER_FLUSH_TIME: '3000',
  SATELLITE_ENVOY_ALS_V2_PIPE_SENDER_FLUSH_TIME: '3000',
  SATELLITE_ENVOY_ALS_V3_PIPE_RECEIVER_FLUSH_TIME: '3000',
  SATELLITE_ENVOY_ALS_V3_PIPE_SENDER_FLUSH_TIME: '3000',
};

test('a configuration of the original works as it is, with its published performance settings', async (t) => {
  const oaps = await Promise.all([new IndependentOap().start(), new IndependentOap().start()]);
  t.after(() => {
    for (const oap of oaps) oap.kill();
  });
  const satellite = await Satellite.start({
    config: () => readFileSync(repositoryUrl('test/e2e/configs/original.yaml'), 'utf8'),
    env: (ports) => ({
      ...PUBLISHED,
      SATELLITE_GRPC_CLIENT: oaps.map((oap) => oap.address).join(','),
      SATELLITE_GRPC_ADDRESS: `127.0.0.1:${ports.grpc}`,
      SATELLITE_TELEMETRY_PROMETHEUS_ADDRESS: `127.0.0.1:${ports.metrics}`,
      SATELLITE_TELEMETRY_INSTANCE: 'satellite-7',
    }),
  });
  t.after(() => satellite.child.kill());

  for (const version of ['v2', 'v3'] as const) {
    const paths = pathsFor(version, ENTRIES);
    const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: version, version });
    for (let from = 0; from < ENTRIES; from += PER_MESSAGE) await envoy.send(paths.slice(from, from + PER_MESSAGE));
    assert.equal(await envoy.finish(), null);
    await eventually({ until: `the ${version} entries are delivered`, withinMs: 20_000 }, async () => {
      return (await satellite.readBooks(`envoy-als-${version}`)).delivered === ENTRIES ? true : undefined;
    });
    assert.deepEqual(findFaults(collect(oaps).http.get(version) ?? new Map<string, number>(), paths), []);
  }

  const samples = await satellite.scrape();
  const labels = {
    pipeline: 'envoy-als-v3',
    cluster: 'satellite-cluster',
    service: 'satellite-service',
    instance: 'satellite-7',
  };
  assert.equal(sumOf(samples, 'pipeline_queue_total_capacity', labels), 50 * 3000);
  assert.ok(sumOf(samples, 'sender_output_count', { pipe: 'envoy-als-v3', status: 'success' }) > 0);

  assert.deepEqual(await satellite.stop(), { code: 0, signal: null });
  const metricsAddress = new URL(satellite.metricsUrl).host;
  assert.match(satellite.child.output, new RegExp(`started: .* metrics on ${metricsAddress}`));
  assert.match(satellite.child.output, /config=\S*satellite_config\.yaml/);
});
