/**
 * The disk queue against a model, on a disk that dies in any operation: with its process, or with its power. What must
 * hold: an event that was safe comes again until it is settled, one that comes is one that was offered, whole; without a
 * crash it comes once, in order; and the queue always opens.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createSeededRandom, SimulatedClock } from '../../src/base/index.js';
import type { Event } from '../../src/core/event.js';
import { QUEUE_CODE } from '../../src/core/queue.js';
import type { DiskQueueSettings } from '../../src/plugins/queue/mmap-queue/settings.js';
import { closeOn, labelOf, QueueLife } from '../support/disk-queue.js';
import { Crash, FakeDisk } from '../support/fake-disk.js';

type Step =
  | { do: 'offer'; bytes: number; partition: number }
  | { do: 'take'; partition: number }
  | { do: 'settle'; at: number }
  | { do: 'wait'; ms: number }
  | { do: 'sync' }
  | { do: 'unload'; bytes: number }
  | { do: 'space'; bytes: number }
  | { do: 'reopen'; partitions: number }
  | { do: 'crash'; after: number; isPower: boolean; partitions: number };

const PARTITIONS = 3;
const partitions = fc.integer({ min: 1, max: PARTITIONS });
const partition = fc.nat(PARTITIONS - 1);
const constant = fc.constant;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: constant('offer' as const),
      bytes: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 4, max: 200 }) }, fc.constant(2000)),
      partition,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: constant('take' as const), partition }) },
  { weight: 6, arbitrary: fc.record({ do: constant('settle' as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: constant('wait' as const), ms: fc.constantFrom(1, 500, 3000) }) },
  { weight: 3, arbitrary: fc.constant({ do: 'sync' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: constant('unload' as const), bytes: fc.constantFrom(1, 1000, Infinity) }),
  },
  { weight: 1, arbitrary: fc.record({ do: constant('space' as const), bytes: fc.constantFrom(0, 300, Infinity) }) },
  { weight: 1, arbitrary: fc.record({ do: constant('reopen' as const), partitions }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: constant('crash' as const),
      after: fc.nat(12),
      isPower: fc.boolean(),
      partitions,
    }),
  },
);

/** What the world may expect of an event; what is written outlives its process, what is safe outlives the power. */
type Fate = 'accepted' | 'written' | 'safe' | 'uncertain' | 'settled';

/** The queue as it ought to be. */
class Model {
  readonly fates = new Map<number, Fate>();
  /** Of this life: labels by partition, in the order offered. */
  private offered: number[][] = [[], [], []];

  offer(label: number, at: number): void {
    this.fates.set(label, 'accepted');
    this.offered[at]!.push(label);
  }

  /** The first `count` events of a partition are as safe as they can be. */
  markSafe(at: number, count: number): void {
    for (const label of this.offered[at]!.slice(0, count)) {
      if (this.fates.get(label) === 'accepted') this.fates.set(label, 'safe');
    }
  }

  settle(label: number): void {
    this.fates.set(label, 'settled');
  }

  /** A life is over; `fate` is that of what it had accepted. */
  end(fate: Fate, isPowerLost: boolean): void {
    for (const [label, before] of this.fates) {
      if (before === 'accepted') this.fates.set(label, fate);
      if (before === 'written' && isPowerLost) this.fates.set(label, 'uncertain');
    }
    this.offered = [[], [], []];
  }

  get missing(): number[] {
    return [...this.fates].filter(([, fate]) => fate === 'safe' || fate === 'written').map(([label]) => label);
  }
}

class Run {
  private readonly disk: FakeDisk;
  private readonly model = new Model();
  private readonly settings: Partial<DiskQueueSettings>;
  private life: QueueLife;
  private taken: Event[] = [];
  private nextLabel = 0;
  private partitions = 1;
  private hasCrashed = false;
  private mayRepeat = false;
  private hasChanged = false;
  private lastTaken = [-1, -1, -1];
  private clock = new SimulatedClock(1000);

  constructor(seed: number, settings: Partial<DiskQueueSettings>) {
    this.disk = new FakeDisk(createSeededRandom(seed));
    this.settings = settings;
    this.life = new QueueLife(this.disk, this.settings, this.clock);
  }

  async play(steps: readonly Step[]): Promise<void> {
    await this.life.queue.open();
    for (const one of steps) {
      await this.surviving(() => this.perform(one));
      this.assertPending();
    }
    this.disk.freeBytes = Infinity;
    await this.surviving(() => this.reopen(this.partitions));
    await this.surviving(() => this.drain());
    await this.surviving(() => this.drain());
    assert.deepEqual(this.model.missing, [], 'events that were safe and never came');
    this.disk.crashAt = 0;
    await this.close();
    assert.equal(this.life.budget.usedBytes, 0, 'memory charged');
    assert.equal(this.disk.openFiles, 0, 'open files');
    const damaged = this.life.log.lines.map(({ fields }) => fields.file);
    const left = this.disk.paths().filter((path) => path.endsWith('.segment') && !damaged.includes(path));
    assert.deepEqual(left, [], 'files of settled events');
  }

  /** Does one step; when the disk dies in it, goes on with a new life. */
  private async surviving(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    while (this.disk.isDead) {
      try {
        await this.afterCrash();
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
    }
  }

  private pendingCrash = { isPower: false, partitions: 1 };

  private async perform(one: Step): Promise<void> {
    switch (one.do) {
      case 'offer':
        this.offer(one.bytes, one.partition % this.partitions);
        break;
      case 'take':
        this.take(one.partition % this.partitions);
        break;
      case 'settle':
        this.settle(one.at);
        break;
      case 'wait':
        this.clock.advance(one.ms);
        break;
      case 'sync':
        await this.disk.finishSyncs();
        break;
      case 'unload':
        this.life.queue.unload(one.bytes);
        break;
      case 'space':
        this.disk.freeBytes = one.bytes;
        // Then what is settled may not get written.
        this.mayRepeat = true;
        break;
      case 'reopen':
        await this.reopen(one.partitions);
        break;
      case 'crash':
        this.pendingCrash = { isPower: one.isPower, partitions: one.partitions };
        this.disk.crashAt = this.disk.operations + 1 + one.after;
        break;
    }
    if (!this.disk.isDead) this.markSafe();
  }

  private markSafe(): void {
    for (const [at, count] of this.life.durable.entries()) this.model.markSafe(at, count);
  }

  private offer(bytes: number, at: number): void {
    const label = this.nextLabel++;
    const code = this.life.offer(label, at, bytes);
    if (code === QUEUE_CODE.ok) this.model.offer(label, at);
    else assert.equal(code, QUEUE_CODE.full);
  }

  private take(at: number): void {
    const event = this.life.queue.take(at);
    if (event === undefined) return;
    const label = labelOf(event);
    const fate = this.model.fates.get(label);
    assert.ok(fate !== undefined || this.hasCrashed, `event ${label} was never accepted`);
    if (fate === 'settled') assert.ok(this.mayRepeat, `event ${label} came again without a crash`);
    if (!this.hasChanged && this.settings.order !== 'newest_first') {
      assert.ok(label > this.lastTaken[at]!, `event ${label} came after ${this.lastTaken[at]!}`);
    }
    this.lastTaken[at] = label;
    this.taken.push(event);
  }

  private settle(at: number): void {
    const event = this.taken[at % Math.max(1, this.taken.length)];
    if (event === undefined) return;
    this.taken = this.taken.filter((other) => other !== event);
    this.model.settle(labelOf(event));
    this.life.settle(event);
  }

  private async drain(): Promise<void> {
    for (let at = 0; at < this.partitions; at++) {
      for (let before = -1; before !== this.taken.length;) {
        before = this.taken.length;
        this.take(at);
      }
    }
    while (this.taken.length > 0) this.settle(0);
    return Promise.resolve();
  }

  private async close(): Promise<void> {
    // Batches that were on their way are left to the queue.
    for (const event of this.taken) this.life.release(event);
    this.taken = [];
    await closeOn(this.disk, this.life);
  }

  private async reopen(count: number): Promise<void> {
    await this.close();
    const isComplete = !this.life.log.messages('error').includes('events could not be written to the disk queue');
    this.markSafe();
    this.model.end(isComplete ? 'safe' : 'uncertain', false);
    await this.open(count);
  }

  private async afterCrash(): Promise<void> {
    this.hasCrashed = true;
    this.mayRepeat = true;
    const { isPower, partitions: count } = this.pendingCrash;
    const isWritten = !isPower && this.settings.fsync === 'always';
    this.model.end(isWritten ? 'written' : 'uncertain', isPower);
    if (isPower) this.disk.losePower();
    else this.disk.killProcess();
    this.taken = [];
    await this.open(count);
  }

  private async open(count: number): Promise<void> {
    this.hasChanged ||= count !== this.partitions;
    this.partitions = count;
    this.lastTaken = [-1, -1, -1];
    // A start asks for a little space; so does the lock.
    this.disk.freeBytes = Infinity;
    // Timers of an earlier life must not run in this one.
    this.clock = new SimulatedClock(this.clock.now(), this.clock.wallNow() + 1);
    this.life = new QueueLife(this.disk, { ...this.settings, partitions: count }, this.clock);
    await this.life.queue.open();
    for (let at = 0; at < count; at++) {
      assert.equal(this.life.queue.found(at).events, this.life.queue.pendingEvents(at));
    }
  }

  private assertPending(): void {
    const { queue, lost } = this.life;
    for (let at = 0; at < this.partitions; at++) {
      const gone = lost.filter((one) => one.partition === at).reduce((sum, one) => sum + one.totals.events, 0);
      assert.ok(queue.pendingEvents(at) >= 0);
      assert.ok(this.hasCrashed || gone === 0, 'lost without a crash');
      assert.ok(queue.size(at) <= queue.capacity / this.partitions);
    }
    assert.ok(this.disk.openFiles <= this.partitions, 'open files');
  }
}

const KINDS: readonly Partial<DiskQueueSettings>[] = [
  { fsync: 'interval' },
  { fsync: 'always' },
  { fsync: 'always', order: 'newest_first', memoryBytes: 700 },
  { fsync: 'interval', memoryBytes: 300, flushEvents: 3 },
];

describe('the disk queue against its model', () => {
  for (const settings of KINDS) {
    it(`keeps what was safe through any crash: ${JSON.stringify(settings)}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), fc.nat(), async (steps, seed) => {
          await new Run(seed, settings).play(steps);
        }),
        { numRuns: Number(process.env.DISK_QUEUE_RUNS ?? 150), seed: 5 },
      );
    });
  }

  for (const isPower of [false, true]) {
    for (const fsync of ['always', 'interval'] as const) {
      it(`dies in each single operation of one story: ${isPower ? 'power' : 'process'}, ${fsync}`, async () => {
        for (let after = 0; after < 120; after++) {
          const steps: Step[] = [{ do: 'crash', after, isPower, partitions: 1 }, ...STORY];
          await new Run(after, { fsync, memoryBytes: 900 }).play(steps);
        }
      });
    }
  }
});

/** Fills some segments, delivers a part out of order, waits, comes back. */
const STORY: readonly Step[] = [
  ...Array.from({ length: 14 }, (): Step => ({ do: 'offer', bytes: 100, partition: 0 })),
  { do: 'wait', ms: 1000 },
  { do: 'sync' },
  ...Array.from({ length: 6 }, (): Step => ({ do: 'take', partition: 0 })),
  { do: 'settle', at: 3 },
  { do: 'settle', at: 0 },
  { do: 'wait', ms: 1000 },
  { do: 'sync' },
  { do: 'offer', bytes: 2000, partition: 0 },
  ...Array.from({ length: 4 }, (): Step => ({ do: 'settle', at: 0 })),
  { do: 'reopen', partitions: 1 },
  ...Array.from({ length: 4 }, (): Step => ({ do: 'take', partition: 0 })),
  { do: 'settle', at: 1 },
  { do: 'wait', ms: 1000 },
];
