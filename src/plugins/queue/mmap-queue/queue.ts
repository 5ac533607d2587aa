/** HOT. The disk queue: its partitions, its one flush timer, and its life. */
import { join } from 'node:path';
import { BlockPool, SatelliteError } from '../../../base/index.js';
import type { Clock, Random, Timer } from '../../../base/index.js';
import type { MemoryBudget } from '../../../core/budget.js';
import type { Event } from '../../../core/event.js';
import { QUEUE_CODE } from '../../../core/queue.js';
import type { DurableQueue, QueueCode, QueueOwner, WhenFull } from '../../../core/queue.js';
import type { QueueTotals } from '../../../core/queue-totals.js';
import type { Log } from '../../../core/telemetry.js';
import { DISK_QUEUE_ERRORS } from './errors.js';
import { codeOf } from './fs.js';
import type { QueueFiles } from './fs.js';
import { LOCK_FILE, isOriginalFile, partitionName, partitionOf } from './layout.js';
import { DirectoryLock } from './lock.js';
import type { DiskQueueMetrics } from './metrics.js';
import { Partition } from './partition.js';
import { foreign, recoverDirectory } from './recovery.js';
import type { RecoveryNotes } from './recovery.js';
import { createScanMemory } from './scanner.js';
import type { Segment } from './segment.js';
import type { DiskQueueParts, DiskQueueSettings, PartitionHost } from './settings.js';
import { Syncer } from './syncer.js';

/** Nobody listens. */
const NO_OWNER: QueueOwner = {
  dataType: 'log',
  onChange: () => undefined,
  onLost: () => undefined,
  onDurable: () => undefined,
};

export class DiskQueue implements DurableQueue, PartitionHost, RecoveryNotes {
  readonly isDurable = true;
  readonly partitions: number;
  readonly whenFull: WhenFull;
  readonly capacity: number;
  owner: QueueOwner = NO_OWNER;
  readonly settings: DiskQueueSettings;
  readonly files: QueueFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly budget: MemoryBudget;
  readonly metrics: DiskQueueMetrics;
  readonly log: Log;
  readonly blocks: BlockPool;
  readonly scanMemory = createScanMemory();
  private readonly all: Partition[] = [];
  private readonly syncer: Syncer;
  private readonly lock: DirectoryLock;
  private isOpen = false;
  /** Deletions on their way. */
  private readonly pending = new Set<Promise<void>>();
  private unwatch: (() => void) | null = null;
  private flushTimer: Timer | null = null;
  private changeTimer: Timer | null = null;
  private readonly onFlushTimer = (): void => {
    this.flushTimer = null;
    this.flush();
  };
  private readonly onChangeTimer = (): void => {
    this.changeTimer = null;
    this.owner.onChange();
  };

  constructor(parts: DiskQueueParts) {
    const { settings } = parts;
    this.settings = settings;
    this.files = parts.files;
    this.clock = parts.clock;
    this.random = parts.random;
    this.budget = parts.budget;
    this.metrics = parts.metrics;
    this.log = parts.log;
    this.blocks = new BlockPool(parts.budget);
    this.partitions = settings.partitions;
    this.whenFull = settings.whenFull;
    this.capacity = settings.capacityBytes * settings.partitions;
    for (let index = 0; index < settings.partitions; index++) {
      this.all.push(new Partition(this, index, join(settings.directory, partitionName(index))));
    }
    this.syncer = new Syncer(this, this.all);
    this.lock = new DirectoryLock(parts.files, parts.clock, join(settings.directory, LOCK_FILE));
  }

  // --- life ---

  // eslint-disable-next-line @typescript-eslint/require-await -- the contract allows queues that wait.
  async open(): Promise<void> {
    try {
      this.recover();
    } catch (error) {
      this.lock.release();
      if (codeOf(error) === '') throw error;
      const message = `the disk queue cannot use ${this.settings.directory}`;
      const reason = error instanceof Error ? error.message : String(error);
      throw new SatelliteError(DISK_QUEUE_ERRORS.directory, `${message}: ${reason}`, { cause: error });
    }
    this.isOpen = true;
    this.unwatch = this.metrics.watch(this);
    if (this.all.some((partition) => partition.unsynced.size > 0)) this.requestFlush();
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.unwatch?.();
    for (const partition of this.all) partition.close();
    this.syncer.request();
    await this.syncer.idle();
    await Promise.all(this.pending);
    this.flushTimer?.cancel();
    this.changeTimer?.cancel();
    this.lock.release();
  }

  private recover(): void {
    const { files, settings } = this;
    refuseOriginal(files, join(settings.directory, '..'));
    files.makeDirectory(settings.directory);
    const entries = files.list(settings.directory) ?? [];
    const stranger = entries.find(
      ({ name, isDirectory }) => !(isDirectory ? partitionOf(name) >= 0 : name === LOCK_FILE),
    );
    if (stranger !== undefined) throw foreign(settings.directory, stranger.name);
    this.lock.take();
    const found = new Map<Partition, Segment[]>(this.all.map((partition) => [partition, []]));
    const lastIds = new Map<Partition, number>();
    let hasOrphans = false;
    for (const partition of this.all) files.makeDirectory(partition.directory);
    for (const { name } of files.list(settings.directory) ?? []) {
      if (name === LOCK_FILE) continue;
      const index = partitionOf(name);
      const directory = join(settings.directory, name);
      const partition = this.all[index % this.partitions]!;
      const recovered = recoverDirectory(directory, {
        files,
        dataType: this.owner.dataType,
        repairs: true,
        notes: this,
      });
      found.get(partition)!.push(...recovered.segments);
      if (index < this.partitions) lastIds.set(partition, recovered.lastId);
      else if (recovered.segments.length === 0) files.removeDirectory(directory);
      else hasOrphans = true;
    }
    for (const [partition, segments] of found) {
      // Within a directory the ids tell, whatever the clock did.
      if (hasOrphans)
        segments.sort((a, b) => a.header.createdWallMs - b.header.createdWallMs || a.header.id - b.header.id);
      partition.adopt(segments, lastIds.get(partition) ?? 0);
    }
  }

  onDamagedFile(path: string): void {
    this.metrics.damaged.value++;
    this.log.warn('a file of the disk queue is damaged and left alone', { file: path });
  }

  onTornTail(path: string, bytes: number): void {
    this.log.info('a file of the disk queue was cut after its last whole event', { file: path, bytes: String(bytes) });
  }

  // --- as a queue ---

  size(partition: number): number {
    return this.all[partition]!.fileBytes;
  }

  pendingEvents(partition: number): number {
    return this.all[partition]!.pendingEvents;
  }

  found(partition: number): QueueTotals {
    return this.all[partition]!.found;
  }

  offered(partition: number): number {
    return this.all[partition]!.offered;
  }

  /** Of all files. */
  get fileBytes(): number {
    let bytes = 0;
    for (const partition of this.all) bytes += partition.fileBytes;
    return bytes;
  }

  get segments(): number {
    let count = 0;
    for (const partition of this.all) count += partition.segments;
    return count;
  }

  offer(event: Event, partition: number): QueueCode {
    return this.isOpen ? this.all[partition]!.offer(event) : QUEUE_CODE.closed;
  }

  peek(partition: number): Event | undefined {
    return this.isOpen ? this.all[partition]!.peek() : undefined;
  }

  take(partition: number): Event | undefined {
    return this.isOpen ? this.all[partition]!.take() : undefined;
  }

  takeOf(): undefined {
    // Space comes back by whole files: what is in one leaves together.
    return undefined;
  }

  unload(bytes: number): void {
    let left = bytes;
    for (let index = 0; index < this.all.length && left > 0; index++) left -= this.all[index]!.unload(left);
  }

  settle(event: Event): void {
    this.all[event.partition]!.settle(event);
  }

  // --- for the partitions ---

  requestFlush(): void {
    if (this.isOpen) this.flushTimer ??= this.clock.setTimer(this.settings.flushPeriodMs, this.onFlushTimer);
  }

  flushNow(): void {
    if (this.settings.fsync === 'always') this.syncer.request();
    else this.flush();
  }

  waitFor(work: Promise<void>): void {
    this.pending.add(work);
    void work.then(() => this.pending.delete(work));
  }

  announceChange(): void {
    this.changeTimer ??= this.clock.setTimer(0, this.onChangeTimer);
  }

  private flush(): void {
    if (!this.isOpen) return;
    for (const partition of this.all) partition.flush();
    this.syncer.request();
  }
}

/** A directory in which the original kept its queue. */
function refuseOriginal(files: QueueFiles, directory: string): void {
  const file = (files.list(directory) ?? []).find(({ name }) => isOriginalFile(name));
  if (file !== undefined) throw foreign(directory, file.name);
}
