/**
 * Brings what is written to the disk, one pass at a time; whatever is written meanwhile belongs to the next pass. So many
 * events share one wait, and few files are open. A segment that is deleted before its turn costs nothing.
 */
import type { Partition } from './partition.js';
import type { PartitionHost } from './settings.js';
import { codeOf } from './fs.js';
import { DISK_QUEUE_ERRORS } from './errors.js';
import { SatelliteError } from '../../../base/index.js';

export class Syncer {
  private readonly host: PartitionHost;
  private readonly partitions: readonly Partition[];
  private isWanted = false;
  private running: Promise<void> | null = null;

  constructor(host: PartitionHost, partitions: readonly Partition[]) {
    this.host = host;
    this.partitions = partitions;
  }

  /** What is written now will be synced soon. */
  request(): void {
    this.isWanted = true;
    this.running ??= this.run();
  }

  /** Resolves when nothing is wanted any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.isWanted) {
      // What else this turn writes comes along; and nobody hears of an event before its `offer` has answered.
      await Promise.resolve();
      this.isWanted = false;
      for (const [index, partition] of this.partitions.entries()) await this.syncPartition(partition, index);
    }
    this.running = null;
  }

  private async syncPartition(partition: Partition, index: number): Promise<void> {
    const { files, owner } = this.host;
    const { written, unsynced, hasNewFiles } = partition;
    if (this.host.settings.fsync !== 'never') {
      partition.unsynced = new Set();
      partition.hasNewFiles = false;
      try {
        for (const segment of unsynced) {
          if (!segment.isGone) await this.syncFile(segment.path);
          unsynced.delete(segment);
        }
        if (hasNewFiles) await files.sync(partition.directory, 'directory');
      } catch (error) {
        for (const segment of unsynced) if (!segment.isGone) partition.unsynced.add(segment);
        partition.hasNewFiles ||= hasNewFiles;
        this.onFailed(error);
        return;
      }
    }
    owner.onDurable(index, written);
  }

  private async syncFile(path: string): Promise<void> {
    const { files, clock, metrics } = this.host;
    const startMs = clock.now();
    await files.sync(path, 'file').catch(ignoreAbsence);
    metrics.syncSeconds.observe((clock.now() - startMs) / 1000);
  }

  private onFailed(error: unknown): void {
    const { log, metrics } = this.host;
    metrics.failures.sync.value++;
    const text = SatelliteError.from(error, DISK_QUEUE_ERRORS.directory).message;
    log.repeated('error', 'disk-sync', 'the disk queue cannot sync', { error: text });
    this.host.requestFlush();
  }
}

/** Deleted while it waited: all its events are settled. */
function ignoreAbsence(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
