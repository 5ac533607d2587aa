/**
 * The files of the queue: all that it asks of the operating system, and the only user of node:fs. Calls are synchronous,
 * for they touch the page cache; what waits for the disk is not.
 */
import * as nodeFs from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

export interface FileEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** @throws Errors with a Node `code`, such as ENOSPC, from every method. */
export interface QueueFiles {
  /** Makes a directory and those above it, unless they are there. */
  makeDirectory(path: string): void;
  /** Null when there is no such directory. */
  list(path: string): readonly FileEntry[] | null;
  /** Removes an empty directory; leaves one that is not. */
  removeDirectory(path: string): void;
  /** Makes a file, which must not be there. */
  create(path: string): number;
  /** Opens a file that is there, for reading or for both. */
  open(path: string, mode: 'read' | 'write'): number;
  close(file: number): void;
  size(file: number): number;
  /** Returns how many bytes there were, fewer than asked for only at the end. */
  read(file: number, target: Buffer, position: number): number;
  /** Writes all of `bytes`, or throws after a part of them. */
  write(file: number, bytes: Buffer, position: number): void;
  truncate(file: number, bytes: number): void;
  /** A small file, read and written whole; null when it is not there. */
  readWhole(path: string): Buffer | null;
  writeWhole(path: string, bytes: Buffer): void;
  /** No error when it is not there. */
  remove(path: string): void;
  /** The same for a large file, which takes a while (6 ms for 4 MiB, ext4). */
  removeLater(path: string): Promise<void>;
  /** Brings a file's bytes, or a directory's names, to the disk. */
  sync(path: string, kind: 'file' | 'directory'): Promise<void>;
  readonly processes: Processes;
}

/** Who else may use the files. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** Tells a process from a later one with its number; null when there is none, empty when it cannot be told. */
  readonly startOf: (pid: number) => string | null;
}

export const nodeFiles: QueueFiles = {
  makeDirectory,
  list: (path) => {
    try {
      const entries = nodeFs.readdirSync(path, { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
    } catch (error) {
      return ifAbsent(error, null);
    }
  },
  removeDirectory: (path) => {
    try {
      nodeFs.rmdirSync(path);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
    }
  },
  create: (path) => nodeFs.openSync(path, 'wx+', 0o640),
  open: (path, mode) => nodeFs.openSync(path, mode === 'read' ? 'r' : 'r+'),
  close: (file) => {
    nodeFs.closeSync(file);
  },
  size: (file) => nodeFs.fstatSync(file).size,
  read: (file, target, position) => {
    let done = 0;
    while (done < target.length) {
      const count = nodeFs.readSync(file, target, done, target.length - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  },
  write: (file, bytes, position) => {
    let done = 0;
    while (done < bytes.length) done += nodeFs.writeSync(file, bytes, done, bytes.length - done, position + done);
  },
  truncate: (file, bytes) => {
    nodeFs.ftruncateSync(file, bytes);
  },
  readWhole: (path) => {
    try {
      return nodeFs.readFileSync(path);
    } catch (error) {
      return ifAbsent(error, null);
    }
  },
  writeWhole: (path, bytes) => {
    nodeFs.writeFileSync(path, bytes, { mode: 0o640 });
  },
  remove: (path) => {
    try {
      nodeFs.unlinkSync(path);
    } catch (error) {
      ifAbsent(error, undefined);
    }
  },
  removeLater: async (path) => {
    try {
      await nodeFs.promises.unlink(path);
    } catch (error) {
      ifAbsent(error, undefined);
    }
  },
  sync: async (path, kind) => {
    const file = await nodeFs.promises.open(path, kind === 'file' ? 'r+' : 'r');
    try {
      await (kind === 'file' ? file.datasync() : file.sync());
    } finally {
      await file.close();
    }
  },
  processes: {
    pid: process.pid,
    host: hostname(),
    startOf: (pid) => {
      try {
        process.kill(pid, 0);
      } catch (error) {
        // EPERM: it is there, and somebody else's.
        if (codeOf(error) === 'ESRCH') return null;
      }
      return readStartTime(pid);
    },
  },
};

/** Field 22 of /proc/<pid>/stat, behind the name, which may hold blanks; empty where there is no /proc (macOS). */
function readStartTime(pid: number): string {
  try {
    const stat = nodeFs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** The code of an error of the operating system's, such as ENOSPC; an empty text for any other error. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^E(?!RR_)/.test(code) ? code : '';
}

function ifAbsent<T>(error: unknown, value: T): T {
  if (codeOf(error) !== 'ENOENT') throw error;
  return value;
}

/** Level by level: below a directory that takes none (/proc, say) node's own recursion never ends. */
function makeDirectory(path: string): void {
  if (nodeFs.existsSync(path)) return;
  makeDirectory(dirname(path));
  nodeFs.mkdirSync(path, { mode: 0o750 });
}
