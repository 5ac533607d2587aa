import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DEMO_OPTIONS } from '../../src/lab/demo/index.js';
import { runForOwnEnvoys } from '../../src/lab/demo/own-envoys.js';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { pathsFor } from '../support/load.js';
import { findFreePorts } from '../support/ports.js';

const ENTRIES = 10;

test('a demo without a fleet shows what an Envoy of somebody else sends, and ends in order', async () => {
  const [grpc, metrics] = (await findFreePorts(2)) as [number, number];
  let shown = '';
  const interrupted = new AbortController();
  const io = { write: (text: string) => void (shown += text), isTerminal: false, signal: interrupted.signal };
  const exitCode = runForOwnEnvoys({ ...DEFAULT_DEMO_OPTIONS, envoys: 0, oaps: 2, seconds: 100 }, io, {
    grpc,
    metrics,
  });
  const says = (text: string): Promise<true> =>
    eventually({ until: `it says ${text}`, withinMs: 20_000 }, () => (shown.includes(text) ? true : undefined));

  await says(`satellite on 127.0.0.1:${grpc}`);
  const envoy = new IndependentEnvoy({ port: grpc, nodeId: 'mine', version: 'v3' });
  await envoy.send(pathsFor('mine', ENTRIES));
  assert.equal(await envoy.finish(), null);
  await says(`received ${ENTRIES} = delivered ${ENTRIES} + dropped 0 + held 0`);
  interrupted.abort();
  assert.equal(await exitCode, 0);
});
