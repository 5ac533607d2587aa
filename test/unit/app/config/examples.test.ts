import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createCatalogue } from '../../../../src/app/commands.js';
import { decodeConfig, formatProblem } from '../../../../src/app/config/index.js';
import { dumpConfig } from '../../../../src/app/config/dump.js';
import { ALL_PLUGINS } from '../../../../src/plugins/all.js';

const catalogue = createCatalogue(ALL_PLUGINS);
const EXAMPLES = readdirSync('configs').filter((name) => name.endsWith('.yaml'));

for (const name of EXAMPLES) {
  test(`configs/${name} is valid with the plugins there are`, () => {
    const source = readFileSync(`configs/${name}`, 'utf8');
    const { config, problems } = decodeConfig(source, name, {}, catalogue);
    const faults = problems.filter((problem) => problem.severity !== 'warning');
    assert.deepEqual(
      faults.map((problem) => formatProblem(name, problem)),
      [],
    );
    assert.ok(config !== null);
    const again = decodeConfig(dumpConfig(config, catalogue), name, {}, catalogue);
    assert.deepEqual(again.config, config);
  });
}

test('a setting of the shipped file that stands in every pipe reaches every pipe', () => {
  const environment = { SATELLITE_QUEUE_EVENT_BUFFER_SIZE: '77', SATELLITE_QUEUE_PARTITION: '3' };
  const source = readFileSync('configs/satellite_config.yaml', 'utf8');
  const { config } = decodeConfig(source, 'f', environment, catalogue);
  for (const { name, gatherer } of config?.pipes ?? []) {
    const { event_buffer_size: events, partition } = gatherer.queue.options as Record<string, unknown>;
    assert.deepEqual([events, partition], [77, 3], name);
  }
});
