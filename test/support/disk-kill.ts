/**
 * A satellite with a disk queue that is killed again and again while sources send. What a source has an OK for must reach
 * the OAP in the end; what the OAP gets must have been sent.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../../src/base/index.js';
import { eventually } from './eventually.js';
import { IndependentEnvoy } from './independent-envoy.js';
import { IndependentOap } from './independent-oap.js';
import { findFreePorts } from './ports.js';
import { runSatellite, Satellite, writeAlsConfig, type SatelliteSettings } from './satellite.js';
import { makeTemporaryFolder, writeTemporary } from './temporary.js';

const SOURCES = 3;
const MESSAGES = 4;
const ENTRIES = 10;
const LONGEST_LIFE_MS = 400;
/** About what a start takes until it listens. */
const LONGEST_START_MS = 400;
const PIPE = 'envoy-als-v3';

/** What all sources have sent, and have an OK for. */
interface Traffic {
  readonly sent: Set<string>;
  readonly acknowledged: Set<string>;
  streams: number;
}

/** Kills the satellite `times` times, in every fourth life without an OAP, in every fourth while it starts. */
export async function killOften(t: TestContext, times: number, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const oap = await new IndependentOap().start();
  t.after(() => oap.kill());
  const config = writeAlsConfig({
    oaps: [oap.address],
    receiverOptions: { flush_time: 50 },
    queue: 'mmap-queue',
    queueOptions: { directory: makeTemporaryFolder(), fsync: 'always', flush_period: 50, segment_size: 8192 },
  });
  const traffic: Traffic = { sent: new Set(), acknowledged: new Set(), streams: 0 };
  for (let life = 0; life < times; life++) {
    if (life % 4 === 3) {
      await killStarting(config, Math.ceil(random() * LONGEST_START_MS));
      continue;
    }
    if (life % 4 === 1) oap.kill();
    const satellite = await Satellite.start({ config });
    t.after(() => satellite.child.kill());
    const isOver = { value: false };
    const sources = Array.from({ length: SOURCES }, () => sendUntil(isOver, satellite.grpcPort, traffic));
    await sleep(Math.ceil(random() * LONGEST_LIFE_MS));
    await satellite.child.kill();
    isOver.value = true;
    await Promise.all(sources);
    if (life % 4 === 1) await oap.start();
  }

  const last = await Satellite.start({ config });
  t.after(() => last.child.kill());
  await eventually({ until: 'nothing is held any more', withinMs: 30_000 }, async () => {
    return (await last.readBooks(PIPE)).held === 0 ? true : undefined;
  });
  assert.equal((await last.readBooks(PIPE)).dropped, 0);
  assert.deepEqual(await last.stop(), { code: 0, signal: null });

  const delivered = new Set([...oap.http.values()].flatMap((paths) => [...paths.keys()]));
  const missing = [...traffic.acknowledged].filter((path) => !delivered.has(path));
  const strange = [...delivered].filter((path) => !traffic.sent.has(path));
  assert.ok(traffic.acknowledged.size > 0);
  assert.deepEqual([missing, strange], [[], []]);
  t.diagnostic(
    `${times} kills, seed ${seed}: ${traffic.acknowledged.size} of ${traffic.sent.size} entries acknowledged, none lost`,
  );
}

/** It reads what the life before has left, and perhaps sends some of it. */
async function killStarting(config: SatelliteSettings['config'], afterMs: number): Promise<void> {
  const [grpc, metrics] = (await findFreePorts(2)) as [number, number];
  const child = runSatellite(['start', '-c', writeTemporary('starting.yaml', config({ grpc, metrics }))]);
  await sleep(afterMs);
  await child.kill();
}

/** One stream after the other, each its own connection, until the satellite is gone. */
async function sendUntil(isOver: { readonly value: boolean }, port: number, traffic: Traffic): Promise<void> {
  while (!isOver.value) {
    const stream = traffic.streams++;
    const envoy = new IndependentEnvoy({ port, nodeId: `node-${stream % SOURCES}`, version: 'v3' });
    const paths: string[] = [];
    for (let message = 0; message < MESSAGES; message++) {
      const part = Array.from({ length: ENTRIES }, (_, entry) => `/${stream}/${message}/${entry}`);
      for (const path of part) traffic.sent.add(path);
      paths.push(...part);
      await envoy.send(part);
    }
    if ((await envoy.finish()) !== null) return;
    for (const path of paths) traffic.acknowledged.add(path);
  }
}
