import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { killOften } from '../support/disk-kill.js';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { pathsFor } from '../support/load.js';
import { findFreePorts } from '../support/ports.js';
import { runSatellite, Satellite, writeAlsConfig } from '../support/satellite.js';
import { makeTemporaryFolder, writeTemporary } from '../support/temporary.js';

const PIPE = 'envoy-als-v3';
const ENTRIES = 20;

test('kill -9 loses nothing that was acknowledged, and damages nothing', async (t) => {
  await killOften(t, 6, 5);
});

test('SIGTERM with every OAP down leaves everything in files, which queue inspect shows', async (t) => {
  const directory = makeTemporaryFolder();
  const [closed] = (await findFreePorts(1)) as [number];
  const config = writeAlsConfig({
    oaps: [`127.0.0.1:${closed}`],
    queue: 'mmap-queue',
    queueOptions: { directory, flush_period: 100 },
  });
  const satellite = await Satellite.start({ config, args: ['-t', '1'] });
  t.after(() => satellite.child.kill());
  const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: 'one', version: 'v3' });
  await envoy.send(pathsFor('kept', ENTRIES));
  assert.equal(await envoy.finish(), null);

  // While it runs, and after.
  await eventually({ until: 'the queue is written', withinMs: 5000 }, async () => {
    return (await inspect(directory)).some((row) => row[5] === String(ENTRIES)) ? true : undefined;
  });
  assert.deepEqual(await satellite.stop(), { code: 0, signal: null });
  const row = (await inspect(directory)).find((cells) => cells[0]?.includes(PIPE) === true);
  assert.deepEqual(row?.slice(1, 3).concat(row.slice(4, 6)), ['als-v3', '1', '1', String(ENTRIES)]);
});

test('a second satellite does not start on the directory of the first', async (t) => {
  const directory = makeTemporaryFolder();
  const config = writeAlsConfig({ oaps: ['127.0.0.1:1'], queue: 'mmap-queue', queueOptions: { directory } });
  const first = await Satellite.start({ config });
  t.after(() => first.child.kill());
  const [grpc, metrics] = (await findFreePorts(2)) as [number, number];
  const second = runSatellite(['start', '-c', writeTemporary('second.yaml', config({ grpc, metrics }))]);
  assert.deepEqual(await second.exited, { code: 1, signal: null });
  assert.match(second.output, /SAT_Q_LOCKED/);
});

test('files of the original are named, refused and left alone', async () => {
  const directory = makeTemporaryFolder();
  mkdirSync(join(directory, PIPE));
  const file = join(directory, PIPE, 'meta.dat');
  writeFileSync(file, 'of the original');
  const config = writeAlsConfig({ oaps: ['127.0.0.1:1'], queue: 'mmap-queue', queueOptions: { directory } });
  const [grpc, metrics] = (await findFreePorts(2)) as [number, number];
  const satellite = runSatellite(['start', '-c', writeTemporary('original.yaml', config({ grpc, metrics }))]);
  assert.deepEqual(await satellite.exited, { code: 1, signal: null });
  assert.match(
    satellite.output,
    /meta\.dat is a file of the queue of the original.*SAT_Q_FOREIGN|SAT_Q_FOREIGN.*meta\.dat/s,
  );
  assert.equal(readFileSync(file, 'utf8'), 'of the original');
});

/** Cells of the rows that `satellite queue inspect` prints. */
async function inspect(directory: string): Promise<string[][]> {
  const child = runSatellite(['queue', 'inspect', directory]);
  await child.exited;
  return child.output.split('\n').map((line) => line.split(/ {2,}/));
}
