import type { ErrorKind } from '../../../base/index.js';

export const DISK_QUEUE_ERRORS = {
  directory: {
    code: 'SAT_Q_DIRECTORY',
    scope: 'pipe',
    origin: 'system',
    disposition: 'fatal',
    doc: 'The directory of a disk queue cannot be made, read or written: no permission, a read-only file system, no space. The message names it; correct that, or set `directory` to another one.',
  },
  locked: {
    code: 'SAT_Q_LOCKED',
    scope: 'pipe',
    origin: 'user',
    disposition: 'fatal',
    doc: 'Another process uses the directory of a disk queue. Give each process, and each replica, a directory of its own.',
  },
  foreign: {
    code: 'SAT_Q_FOREIGN',
    scope: 'pipe',
    origin: 'user',
    disposition: 'fatal',
    doc: 'There are files in the directory of a disk queue that it did not write, such as those of the original’s mmap-queue, of another kind of data or of a later version. They are left as they are; move them away, or set `directory` to another one.',
  },
} as const satisfies Record<string, ErrorKind>;
