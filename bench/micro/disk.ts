/** The disk queue's share of `--micro`: events to records and back, and whole passes through a queue on real files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlockPool, createSeededRandom, SimulatedClock } from '../../src/base/index.js';
import { MemoryBudget } from '../../src/core/budget.js';
import { Event, Identity } from '../../src/core/event.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';
import { encodeLogs } from '../../src/lab/fleet/message-template.js';
import { DEFAULT_FLEET_OPTIONS } from '../../src/lab/fleet/options.js';
import { mmapQueue } from '../../src/plugins/queue/mmap-queue/index.js';
import {
  decodeRecord,
  encodeRecord,
  RECORD_HEADER_BYTES,
  recordBytes,
} from '../../src/plugins/queue/mmap-queue/record.js';
import { createScanMemory, RecordScanner } from '../../src/plugins/queue/mmap-queue/scanner.js';
import type { Micro } from './micro.js';

const MESSAGES = 25;
const SALT = 12_345;
const LOGS = encodeLogs('http', 13, DEFAULT_FLEET_OPTIONS.entryBytes);
const IDENTITY = Buffer.alloc(2048, 1);
const silent = (): void => undefined;
const LOG = { debug: silent, info: silent, warn: silent, error: silent, repeated: silent };
const METRICS = {
  counter: () => ({ value: 0 }),
  gauge: () => silent,
  histogram: () => ({ observe: silent }),
  forget: silent,
};

function eventOf(budget: MemoryBudget): Event {
  const event = new Event('als-v3', 0, new Identity(IDENTITY, budget), 0, 0);
  for (let count = 0; count < MESSAGES; count++) event.add(new SlicedMessage([LOGS], LOGS.length, LOGS.length), 13);
  return event;
}

function writeRecord(): Micro {
  const event = eventOf(new MemoryBudget(1 << 30));
  const target = Buffer.allocUnsafeSlow(recordBytes(event));
  return {
    title: 'disk queue: make a record of 25 messages of 16 KB',
    run: (times) => {
      for (let count = 0; count < times; count++) encodeRecord(event, count, 0, SALT, target, 0);
    },
  };
}

function readRecord(): Micro {
  const budget = new MemoryBudget(1 << 30);
  const event = eventOf(budget);
  const bytes = Buffer.allocUnsafeSlow(recordBytes(event));
  encodeRecord(event, 0, 0, SALT, bytes, 0);
  const blocks = new BlockPool(budget);
  const memory = createScanMemory();
  const source = { read: (target: Buffer, position: number) => bytes.copy(target, 0, position) };
  return {
    title: `disk queue: read such a record (${Math.round((bytes.length - RECORD_HEADER_BYTES) / 1024)} KB) back`,
    run: (times) => {
      for (let count = 0; count < times; count++) {
        const payload = new RecordScanner(source, 0, bytes.length, SALT, memory).next();
        const read = payload === null ? null : decodeRecord(payload, 'als-v3', 0, null, budget, blocks);
        if (read === null) throw new Error('a record got lost');
        read.releaseMessages();
        read.identity?.release();
      }
    },
  };
}

/** Takes, gives and settles one event at a time: what a queue costs while backends take what comes. */
function passThrough(): Micro {
  const directory = mkdtempSync(join(tmpdir(), 'satellite-bench-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  const budget = new MemoryBudget(1 << 30);
  const queue = mmapQueue.create(mmapQueue.schema.parse({ directory, fsync: 'never' }), {
    pipeName: 'bench',
    clock: new SimulatedClock(),
    random: createSeededRandom(1),
    log: LOG,
    metrics: METRICS,
    budget,
  });
  // Opens before it answers.
  void queue.open();
  return {
    title: 'disk queue: take such an event, write it, give it and forget it',
    run: (times) => {
      for (let count = 0; count < times; count++) {
        if (queue.offer(eventOf(budget), 0) !== 0) throw new Error('an event was refused');
        queue.settle(queue.take(0)!);
      }
    },
  };
}

export function createDiskMicros(): readonly Micro[] {
  return [writeRecord(), readRecord(), passThrough()];
}
