import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentPath, skipWithout } from '../support/components.js';
import { Child } from '../support/process.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';
import { FEATURES } from './support/features.js';

test('h2spec finds no fault with the server, in any group', { skip: skipWithout('h2spec') }, async (t) => {
  const { cases, groups, mode } = FEATURES.h2spec;
  const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: [] }) });
  t.after(() => satellite.stop());
  const args = [...groups, '--host', '127.0.0.1', '--port', `${satellite.grpcPort}`, `--${mode}`, '--timeout', '5'];
  const h2spec = new Child({ name: 'h2spec', command: componentPath('h2spec'), args });
  await h2spec.exited;
  const summary = /(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed/.exec(h2spec.output);
  const failures = h2spec.output.slice(Math.max(0, h2spec.output.indexOf('Failures:')));
  assert.deepEqual(summary?.slice(1).map(Number), [cases, cases, 0, 0], failures);
});
