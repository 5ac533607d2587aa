/**
 * A disk in memory that fails as disks do: it forgets what was not synced, tears the write it is in when the power goes,
 * brings deleted files back, runs full. The page cache is what everybody sees; the platter is what a power loss leaves.
 */
import { basename, dirname } from 'node:path';
import type { Random } from '../../src/base/index.js';
import type { FileEntry, Processes, QueueFiles } from '../../src/plugins/queue/mmap-queue/fs.js';

/** Thrown out of the operation in which the machine or the process dies. */
export class Crash extends Error {}

interface Write {
  readonly position: number;
  readonly bytes: Buffer;
}

interface FakeFile {
  cached: Buffer;
  platter: Buffer;
  /** Since the last sync. */
  writes: Write[];
}

interface PendingSync {
  readonly apply: () => void;
  readonly finish: () => void;
}

export class FakeDisk implements QueueFiles {
  /** Operations that changed something, or synced. */
  operations = 0;
  /** The operation to die in; 0: none. */
  crashAt = 0;
  isDead = false;
  /** Bytes that fit still. */
  freeBytes = Infinity;
  openFiles = 0;
  mostOpenFiles = 0;
  bytesRead = 0;
  /** Codes of errors to throw from the next operations of a kind. */
  readonly faults = new Map<string, string[]>();
  processes: Processes = { pid: 1, host: 'here', startOf: () => null };
  private readonly random: Random;
  private files = new Map<string, FakeFile>();
  private readonly directories = new Set<string>();
  /** Names that the platter has. */
  private platterNames = new Map<string, FakeFile>();
  private readonly handles = new Map<number, FakeFile>();
  private nextHandle = 1;
  private syncs: PendingSync[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  // --- what happens to it ---

  /** The process is gone, the machine stays: the page cache is written some time. */
  killProcess(): void {
    this.revive();
  }

  /** The machine is gone: what was not synced is there in part, or not, or as something else. */
  losePower(): void {
    const names = new Map<string, FakeFile>();
    for (const name of new Set([...this.files.keys(), ...this.platterNames.keys()])) {
      const now = this.files.get(name);
      const before = this.platterNames.get(name);
      // A name that was made or deleted since the directory was synced.
      const file = now === before || this.random() < 0.5 ? now : before;
      if (file !== undefined) names.set(name, { cached: this.leaveOf(file), platter: EMPTY, writes: [] });
    }
    for (const [name, file] of names) {
      file.platter = file.cached;
      this.directories.add(dirname(name));
    }
    this.files = names;
    this.platterNames = new Map(names);
    this.revive();
  }

  /** Syncs that were asked for reach the platter, and their callers are told. */
  async finishSyncs(): Promise<void> {
    while (this.syncs.length > 0) {
      const pending = this.syncs;
      this.syncs = [];
      for (const { apply, finish } of pending) {
        if (this.isDead) return;
        apply();
        finish();
      }
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }

  bytesOf(path: string): Buffer {
    return this.fileAt(path).cached;
  }

  /** Changes bytes behind everybody's back. */
  edit(path: string, change: (bytes: Buffer) => Buffer): void {
    const file = this.fileAt(path);
    file.cached = Buffer.from(change(Buffer.from(file.cached)));
    file.platter = file.cached;
    file.writes = [];
  }

  paths(): string[] {
    return [...this.files.keys()].sort();
  }

  // --- as files ---

  makeDirectory(path: string): void {
    this.fail('makeDirectory');
    for (let at = path; !this.directories.has(at) && at !== dirname(at); at = dirname(at)) this.directories.add(at);
  }

  list(path: string): readonly FileEntry[] | null {
    this.fail('list');
    if (!this.directories.has(path)) return null;
    const entries: FileEntry[] = [];
    for (const name of this.files.keys()) {
      if (dirname(name) === path) entries.push({ name: basename(name), isDirectory: false });
    }
    for (const name of this.directories) {
      if (dirname(name) === path && name !== path) entries.push({ name: basename(name), isDirectory: true });
    }
    return entries.sort((a, b) => (this.random() < 0.5 ? -1 : a.name < b.name ? -1 : 1));
  }

  removeDirectory(path: string): void {
    this.change('removeDirectory');
    if ((this.list(path) ?? []).length === 0) this.directories.delete(path);
  }

  create(path: string): number {
    this.change('create');
    if (this.files.has(path)) throw errorOf('EEXIST');
    const file: FakeFile = { cached: EMPTY, platter: EMPTY, writes: [] };
    this.files.set(path, file);
    return this.handleOf(file);
  }

  open(path: string): number {
    this.fail('open');
    return this.handleOf(this.fileAt(path));
  }

  close(handle: number): void {
    this.fail('close');
    if (!this.handles.delete(handle)) throw new Error('closed twice');
    this.openFiles--;
  }

  size(handle: number): number {
    return this.handles.get(handle)!.cached.length;
  }

  read(handle: number, target: Buffer, position: number): number {
    this.fail('read');
    const count = this.handles.get(handle)!.cached.copy(target, 0, position);
    this.bytesRead += count;
    return count;
  }

  write(handle: number, bytes: Buffer, position: number): void {
    this.writeTo(this.handles.get(handle)!, bytes, position);
  }

  truncate(handle: number, bytes: number): void {
    this.change('truncate');
    const file = this.handles.get(handle)!;
    file.cached = Buffer.from(file.cached.subarray(0, bytes));
  }

  readWhole(path: string): Buffer | null {
    this.fail('read');
    const file = this.files.get(path);
    return file === undefined ? null : Buffer.from(file.cached);
  }

  writeWhole(path: string, bytes: Buffer): void {
    const file = this.files.get(path) ?? { cached: EMPTY, platter: EMPTY, writes: [] };
    this.files.set(path, file);
    this.freeBytes += file.cached.length;
    file.cached = EMPTY;
    this.writeTo(file, bytes, 0);
  }

  remove(path: string): void {
    this.change('remove');
    const file = this.files.get(path);
    if (file !== undefined) this.freeBytes += file.cached.length;
    this.files.delete(path);
  }

  removeLater(path: string): Promise<void> {
    return new Promise((resolve) => {
      this.remove(path);
      resolve();
    });
  }

  sync(path: string, kind: 'file' | 'directory'): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        this.change('sync');
        const apply = kind === 'file' ? this.syncOfFile(path) : this.syncOfDirectory(path);
        this.syncs.push({ apply, finish: resolve });
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  // --- inside ---

  /** What a sync brings to the platter is what was written when it was asked for. */
  private syncOfFile(path: string): () => void {
    const file = this.fileAt(path);
    const image = Buffer.from(file.cached);
    const count = file.writes.length;
    return () => {
      file.platter = image;
      file.writes = file.writes.slice(count);
    };
  }

  private syncOfDirectory(path: string): () => void {
    const names = [...this.files].filter(([name]) => dirname(name) === path);
    return () => {
      for (const name of this.platterNames.keys()) if (dirname(name) === path) this.platterNames.delete(name);
      for (const [name, file] of names) this.platterNames.set(name, file);
    };
  }

  private writeTo(file: FakeFile, bytes: Buffer, position: number): void {
    const tornAt = Math.floor(this.random() * bytes.length);
    try {
      this.change('write');
    } catch (error) {
      apply(file, { position, bytes: Buffer.from(bytes.subarray(0, tornAt)) });
      throw error;
    }
    const growth = Math.max(0, position + bytes.length - file.cached.length);
    if (growth > this.freeBytes) {
      apply(file, { position, bytes: Buffer.from(bytes.subarray(0, Math.min(tornAt, this.freeBytes))) });
      throw errorOf('ENOSPC');
    }
    this.freeBytes -= growth;
    apply(file, { position, bytes: Buffer.from(bytes) });
  }

  /** What a power loss leaves of a file: the platter, and some of the later writes, one of them torn or a hole. */
  private leaveOf(file: FakeFile): Buffer {
    const left: FakeFile = { cached: Buffer.from(file.platter), platter: EMPTY, writes: [] };
    for (const { position, bytes } of file.writes) {
      const chance = this.random();
      if (chance < 0.25) break;
      const part = chance < 0.5 ? bytes.subarray(0, Math.floor(this.random() * bytes.length)) : bytes;
      apply(left, { position, bytes: chance > 0.9 ? Buffer.alloc(part.length) : part });
      if (chance < 0.5) break;
    }
    return left.cached;
  }

  private revive(): void {
    this.handles.clear();
    this.openFiles = 0;
    this.syncs = [];
    this.isDead = false;
    this.crashAt = 0;
  }

  private change(kind: string): void {
    this.operations++;
    if (this.operations === this.crashAt) this.isDead = true;
    this.fail(kind);
  }

  private fail(kind: string): void {
    if (this.isDead) throw new Crash(`died in ${kind}`);
    const code = this.faults.get(kind)?.shift();
    if (code !== undefined) throw errorOf(code);
  }

  private handleOf(file: FakeFile): number {
    this.openFiles++;
    if (this.openFiles > this.mostOpenFiles) this.mostOpenFiles = this.openFiles;
    this.handles.set(this.nextHandle, file);
    return this.nextHandle++;
  }

  private fileAt(path: string): FakeFile {
    const file = this.files.get(path);
    if (file === undefined) throw errorOf('ENOENT');
    return file;
  }
}

const EMPTY = Buffer.alloc(0);

function apply(file: FakeFile, write: Write): void {
  const { position, bytes } = write;
  const length = Math.max(file.cached.length, position + bytes.length);
  const grown = Buffer.alloc(length);
  file.cached.copy(grown);
  bytes.copy(grown, position);
  file.cached = grown;
  file.writes.push(write);
}

function errorOf(code: string): Error {
  return Object.assign(new Error(`${code}: as the test wants it`), { code });
}
