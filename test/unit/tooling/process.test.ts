import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, settled } from '../../support/eventually.js';
import { Child } from '../../support/process.js';

function startNode(script: string): Child {
  return new Child({ name: 'script', command: process.execPath, args: ['-e', script] });
}

test('a child is ready when the test says so, and ends with its status', async () => {
  const child = startNode(
    "console.log('open'); process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000);",
  );
  await child.waitReady(10_000, () => child.output.includes('open'));
  assert.deepEqual(await child.stop('SIGTERM'), { code: 7, signal: null });
});

test('a child that ends before it is ready fails the wait, with its output', async () => {
  const child = startNode("console.error('no port'); process.exitCode = 3;");
  await assert.rejects(
    child.waitReady(10_000, () => false),
    /ended with status 3[^]*no port/,
  );
});

test('a program that does not exist fails the wait', async () => {
  const child = new Child({ name: 'nothing', command: '/no/such/program', args: [] });
  await assert.rejects(
    child.waitReady(10_000, () => false),
    /nothing ended/,
  );
});

test('a wait that is too long says what for, and keeps what went wrong', async () => {
  const wait = eventually({ until: 'the cows come home', withinMs: 20, everyMs: 1 }, () => {
    throw new Error('no cows');
  });
  await assert.rejects(wait, (error: Error) => {
    assert.match(error.message, /the cows come home/);
    assert.match((error.cause as Error).message, /no cows/);
    return true;
  });
});

test('a number has settled when it stays the same', async () => {
  const values = [1, 2, 3];
  const read = (): Promise<number> => Promise.resolve(values.length > 1 ? (values.shift() ?? 0) : (values[0] ?? 0));
  assert.equal(await settled({ until: 'it is quiet', withinMs: 5_000, quietMs: 20, everyMs: 1 }, read), 3);
});
