import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { componentPath, skipWithout } from '../../support/components.js';
import { repositoryUrl } from '../../support/repository.js';

test('a real Envoy accepts the documented bootstrap', { skip: skipWithout('envoy') }, () => {
  const snippet = fileURLToPath(repositoryUrl('docs/snippets/envoy-access-logs.yaml'));
  const { status, stderr } = spawnSync(componentPath('envoy'), ['--mode', 'validate', '-c', snippet], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(status, 0, stderr);
});
