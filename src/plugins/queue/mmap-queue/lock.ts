/**
 * Keeps a second process out of a directory: a file that says who is in. A lock whose process is gone, by a crash or with
 * its container, is taken over. Another host's process cannot be seen: there the time of the last sign of life decides.
 */
import { SatelliteError } from '../../../base/index.js';
import type { Clock, Timer } from '../../../base/index.js';
import { DISK_QUEUE_ERRORS } from './errors.js';
import { codeOf } from './fs.js';
import type { QueueFiles } from './fs.js';

const SIGN_OF_LIFE_MS = 10_000;
/** Three signs missed. */
const GIVEN_UP_MS = 3 * SIGN_OF_LIFE_MS;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** See `Processes.startOf`. */
  readonly start: string;
  readonly aliveWallMs: number;
}

export class DirectoryLock {
  private readonly files: QueueFiles;
  private readonly clock: Clock;
  private readonly path: string;
  private timer: Timer | null = null;

  constructor(files: QueueFiles, clock: Clock, path: string) {
    this.files = files;
    this.clock = clock;
    this.path = path;
  }

  /** @throws SAT_Q_LOCKED */
  take(): void {
    try {
      this.files.close(this.files.create(this.path));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const holder = readHolder(this.files, this.path);
      if (holder !== null && this.isAlive(holder)) throw this.refusal(holder);
    }
    this.showLife();
  }

  /** Idempotent; leaves a lock that is not ours. */
  release(): void {
    if (this.timer === null) return;
    this.timer.cancel();
    this.timer = null;
    try {
      if (this.isOurs(readHolder(this.files, this.path))) this.files.remove(this.path);
    } catch (error) {
      // It will be found to be stale.
      if (codeOf(error) === '') throw error;
    }
  }

  private showLife(): void {
    const { pid, host, startOf } = this.files.processes;
    const holder: Holder = { pid, host, start: startOf(pid) ?? '', aliveWallMs: this.clock.wallNow() };
    try {
      this.files.writeWhole(this.path, Buffer.from(JSON.stringify(holder)));
    } catch (error) {
      // A full disk later on is no reason to give the directory up.
      if (this.timer === null) throw error;
    }
    this.timer = this.clock.setTimer(SIGN_OF_LIFE_MS, () => {
      this.showLife();
    });
  }

  private isAlive(holder: Holder): boolean {
    const { host, startOf } = this.files.processes;
    if (holder.host !== host) return this.clock.wallNow() - holder.aliveWallMs < GIVEN_UP_MS;
    // In a container every start has the same number: then it is an earlier life of ours.
    if (this.isOurs(holder)) return false;
    const start = startOf(holder.pid);
    return start !== null && start === holder.start;
  }

  private isOurs(holder: Holder | null): boolean {
    return holder !== null && holder.pid === this.files.processes.pid && holder.host === this.files.processes.host;
  }

  private refusal(holder: Holder): SatelliteError {
    const seconds = Math.round((this.clock.wallNow() - holder.aliveWallMs) / 1000);
    return new SatelliteError(
      DISK_QUEUE_ERRORS.locked,
      `process ${holder.pid} on host ${holder.host} uses ${this.path}, its last sign of life ${seconds} s ago`,
    );
  }
}

/** Null when the file is not there or says nothing. */
function readHolder(files: QueueFiles, path: string): Holder | null {
  try {
    const holder = JSON.parse(String(files.readWhole(path))) as Partial<Holder> | null;
    if (holder === null || typeof holder.pid !== 'number' || typeof holder.host !== 'string') return null;
    return { pid: holder.pid, host: holder.host, start: holder.start ?? '', aliveWallMs: holder.aliveWallMs ?? 0 };
  } catch {
    return null;
  }
}
