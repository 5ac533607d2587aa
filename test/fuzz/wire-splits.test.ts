import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Child } from '../support/process.js';

const WIRE_TESTS = new URL('../wire/', import.meta.url);

/** The tests whose peer cuts the bytes. */
const files = readdirSync(WIRE_TESTS)
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => fileURLToPath(new URL(name, WIRE_TESTS)))
  .filter((path) => readFileSync(path, 'utf8').includes('support/peer.js'));

for (const split of ['bytes', 'random']) {
  test(`every wire test holds with the bytes of its peer cut: ${split}`, async () => {
    assert.ok(files.length > 0);
    const args = ['--test', '--test-concurrency=2', ...files];
    // A runner within a test of a runner would speak to the outer one.
    const env = { SATELLITE_WIRE_SPLIT: split, NODE_TEST_CONTEXT: undefined };
    const run = new Child({ name: `wire tests (${split})`, command: process.execPath, args, env });
    const { code } = await run.exited;
    assert.equal(code, 0, run.output);
    assert.match(run.output, /# pass [1-9]/);
  });
}
