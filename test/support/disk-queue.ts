/** A disk queue on any files, with a clock and an owner that tests see. */
import { createSeededRandom, SimulatedClock } from '../../src/base/index.js';
import { MemoryBudget } from '../../src/core/budget.js';
import type { DropReason } from '../../src/core/drop-reason.js';
import { Event, Identity } from '../../src/core/event.js';
import type { QueueOwner } from '../../src/core/queue.js';
import type { QueueTotals } from '../../src/core/queue-totals.js';
import type { QueueFiles } from '../../src/plugins/queue/mmap-queue/fs.js';
import { DiskQueueMetrics } from '../../src/plugins/queue/mmap-queue/metrics.js';
import { DiskQueue } from '../../src/plugins/queue/mmap-queue/queue.js';
import type { DiskQueueSettings } from '../../src/plugins/queue/mmap-queue/settings.js';
import { messageOf } from './als.js';
import { Crash } from './fake-disk.js';
import type { FakeDisk } from './fake-disk.js';
import { CapturingLog } from './log.js';
import { RecordingMetrics } from './metrics.js';

export const DIRECTORY = '/queues/p';

const DEFAULTS: DiskQueueSettings = {
  directory: DIRECTORY,
  partitions: 1,
  segmentBytes: 600,
  capacityBytes: 100_000,
  memoryBytes: 2_000,
  maxEventBytes: 0,
  maxAgeMs: 0,
  flushPeriodMs: 1000,
  flushEvents: 10_000,
  fsync: 'interval',
  order: 'oldest_first',
  whenFull: 'drop_newest',
};

/** One life of a queue: from its opening to its end. */
export class QueueLife implements QueueOwner {
  readonly dataType = 'als-v3';
  readonly queue: DiskQueue;
  readonly log = new CapturingLog();
  readonly metrics = new RecordingMetrics();
  readonly budget = new MemoryBudget(10_000_000);
  readonly lost: { partition: number; totals: QueueTotals; reason: DropReason }[] = [];
  readonly durable: number[] = [];
  changes = 0;
  readonly clock: SimulatedClock;

  constructor(files: QueueFiles, settings: Partial<DiskQueueSettings> = {}, clock = new SimulatedClock(1000)) {
    this.clock = clock;
    this.queue = new DiskQueue({
      settings: { ...DEFAULTS, ...settings },
      files,
      clock,
      random: createSeededRandom(clock.wallNow()),
      budget: this.budget,
      metrics: new DiskQueueMetrics('p', this.metrics),
      log: this.log,
    });
    this.queue.owner = this;
  }

  static async open(
    files: QueueFiles,
    settings: Partial<DiskQueueSettings> = {},
    clock?: SimulatedClock,
  ): Promise<QueueLife> {
    const life = new QueueLife(files, settings, clock);
    await life.queue.open();
    return life;
  }

  onChange(): void {
    this.changes++;
  }

  onLost(partition: number, totals: QueueTotals, reason: DropReason): void {
    this.lost.push({ partition, totals, reason });
  }

  onDurable(partition: number, count: number): void {
    this.durable[partition] = count;
  }

  /** An event as a receiver makes it: its bytes are charged. */
  event(label: number, bytes = 20, node = 'node'): Event {
    const identity = Buffer.from(node);
    this.budget.reserve(identity.length);
    const event = new Event(this.dataType, 3, new Identity(identity, this.budget), 77, this.clock.now());
    const body = Buffer.alloc(bytes, label & 255);
    body.writeUInt32LE(label);
    const middle = bytes >>> 1;
    event.add(messageOf(body, [middle]), 2);
    event.add(messageOf(Buffer.alloc(0)), 1);
    this.budget.reserve(event.costBytes);
    return event;
  }

  /** Lets go of an event that was refused, or taken and settled. */
  release(event: Event): void {
    this.budget.release(event.costBytes);
    event.identity!.release();
  }

  offer(label: number, partition = 0, bytes = 20): number {
    const event = this.event(label, bytes);
    const code = this.queue.offer(event, partition);
    if (code !== 0) this.release(event);
    return code;
  }

  offerMany(from: number, to: number, partition = 0): void {
    for (let label = from; label < to; label++) {
      if (this.offer(label, partition) !== 0) throw new Error(`event ${label} was refused`);
    }
  }

  settle(event: Event): void {
    this.queue.settle(event);
    this.release(event);
  }

  /** Takes and settles all there is; returns the labels. */
  drain(partition = 0): number[] {
    const labels: number[] = [];
    for (let event = this.queue.take(partition); event !== undefined; event = this.queue.take(partition)) {
      labels.push(labelOf(event));
      this.settle(event);
    }
    return labels;
  }
}

/** Closes a queue whose disk syncs when told to. @throws Crash */
export async function closeOn(disk: FakeDisk, life: QueueLife): Promise<void> {
  const state = { isDone: false };
  const closing = life.queue.close().finally(() => {
    state.isDone = true;
  });
  // Awaited below, unless the disk dies before.
  closing.catch(() => undefined);
  while (!state.isDone) {
    if (disk.isDead) throw new Crash('died while closing');
    await disk.finishSyncs();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
  if (disk.isDead) throw new Crash('died while closing');
}

/** The label of an event whose bytes are all as they were made. @throws when they are not. */
export function labelOf(event: Event): number {
  const body = Buffer.concat(event.messages[0]!.parts);
  const label = body.readUInt32LE();
  const isWhole =
    body.subarray(4).every((byte) => byte === (label & 255)) &&
    event.messages.length === 2 &&
    event.messages[1]!.length === 0 &&
    event.entries === 3 &&
    event.method === 3 &&
    event.keyHash === 77 &&
    event.dataType === 'als-v3' &&
    Buffer.from(event.identity!.bytes).toString() === 'node';
  if (!isWhole) throw new Error(`event ${label} came back as another`);
  return label;
}
