import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CONFIG_FILE, findConfigFile, MOUNTED_CONFIG_FILE } from '../../../../src/app/config/index.js';

const existing =
  (...paths: readonly string[]) =>
  (path: string): boolean =>
    paths.includes(path);

test('the flag goes before the environment, and both before what exists', () => {
  const exists = existing(DEFAULT_CONFIG_FILE, MOUNTED_CONFIG_FILE);
  assert.equal(findConfigFile('a.yaml', { SATELLITE_CONFIG: 'b.yaml' }, exists), 'a.yaml');
  assert.equal(findConfigFile(undefined, { SATELLITE_CONFIG: 'b.yaml' }, exists), 'b.yaml');
});

test('an empty variable counts as unset', () => {
  assert.equal(findConfigFile(undefined, { SATELLITE_CONFIG: '' }, existing()), DEFAULT_CONFIG_FILE);
});

test('a mounted file goes before the default', () => {
  assert.equal(findConfigFile(undefined, {}, existing(DEFAULT_CONFIG_FILE, MOUNTED_CONFIG_FILE)), MOUNTED_CONFIG_FILE);
  assert.equal(findConfigFile(undefined, {}, existing(MOUNTED_CONFIG_FILE)), MOUNTED_CONFIG_FILE);
  assert.equal(findConfigFile(undefined, {}, existing()), DEFAULT_CONFIG_FILE);
});
