/**
 * `npm run bench -- --reads`: what it costs to take bytes off sockets, by the way of reading, without anything behind it.
 * A writer and a reader in processes of their own; the reader's CPU for each message, and its memory while it holds what
 * came for 200 ms.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { wait } from './measure.js';
import { startNodePeer } from './peers/node-peer.js';
import { readUsage } from './process-usage.js';
import { markdownTable } from './report/columns.js';
import { formatSpread, spreadOf } from './report/spread.js';

const READER = fileURLToPath(new URL('./peers/chunk-reader.js', import.meta.url));
/** As the satellite itself is started: collection of garbage is a part of what reading costs. */
const NODE_FLAGS = readFileSync(new URL('../../bin/node-flags', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const WARM_UP_MS = 2000;

/** Messages of `messageBytes`, `perSecond` over `connections`. */
const LOADS = [
  { connections: 150, messageBytes: 16_800, perSecond: 3000 },
  { connections: 400, messageBytes: 1250, perSecond: 15_000 },
  { connections: 2000, messageBytes: 16_800, perSecond: 3000 },
  { connections: 150, messageBytes: 16_800, perSecond: 9000 },
] as const;

const WAYS = [
  { name: 'fresh buffers', args: ['--mode', 'fresh'] },
  { name: 'copied, slabs of 64 KiB', args: ['--mode', 'copied', '--slab-bytes', '65536'] },
  { name: 'copied, slabs of 256 KiB', args: ['--mode', 'copied', '--slab-bytes', '262144'] },
  { name: 'copied, slabs of 1 MiB', args: ['--mode', 'copied', '--slab-bytes', '1048576'] },
] as const;

interface ReadResult {
  readonly way: string;
  readonly microsPerMessage: number;
  readonly residentBytes: number;
  readonly bytesPerChunk: number;
}

/** @returns a table, as Markdown. */
export async function runReads(rounds: number, seconds: number): Promise<string> {
  const rows: string[][] = [];
  for (const load of LOADS) {
    const results: ReadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const way of WAYS) results.push(await measureReads(load, way, seconds));
    }
    for (const { name } of WAYS) {
      const own = results.filter(({ way }) => way === name);
      const cell = (digits: number, read: (result: ReadResult) => number): string =>
        formatSpread(spreadOf(own.map(read)), digits);
      rows.push([
        `${load.connections} connections, ${load.messageBytes} B × ${load.perSecond}/s`,
        name,
        cell(1, (result) => result.microsPerMessage),
        cell(0, (result) => result.residentBytes / 1e6),
        cell(1, (result) => result.bytesPerChunk / 1e3),
      ]);
    }
  }
  return `${markdownTable(['load', 'reads', 'CPU µs/message', 'RSS MB', 'KB a chunk'], rows)}\n`;
}

async function measureReads(
  load: (typeof LOADS)[number],
  way: (typeof WAYS)[number],
  seconds: number,
): Promise<ReadResult> {
  const rate = ['--message-bytes', `${load.messageBytes}`, '--per-second', `${load.perSecond}`];
  const writer = await startNodePeer('./chunk-writer.js', rate);
  const where = ['--port', `${writer.port}`, '--connections', `${load.connections}`];
  const reader = spawn(process.execPath, [...NODE_FLAGS, READER, ...way.args, ...where], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await wait(WARM_UP_MS);
  const before = readUsage(reader.pid!);
  await wait(seconds * 1000);
  const after = readUsage(reader.pid!);
  const lines = createInterface(reader.stdout);
  reader.stdin.end();
  const [line] = (await once(lines, 'line')) as [string];
  const [bytes = 0, chunks = 1] = line.split(' ').map(Number);
  await writer.stop();
  const share = seconds / (seconds + WARM_UP_MS / 1000);
  return {
    way: way.name,
    microsPerMessage: ((after.cpuMs - before.cpuMs) * 1000) / ((bytes / load.messageBytes) * share),
    residentBytes: after.residentBytes,
    bytesPerChunk: bytes / chunks,
  };
}
