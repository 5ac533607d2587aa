/** The files of the system that this plugin reads, and the one it may remove. */
import { lstatSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** Text of a small file; '' when it is not there: another system, or the other version of cgroups. */
export function readSystemText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Why no socket can be made at `path`, as far as it can be seen before: what the system says of these cases misleads.
 * Null: it may work.
 */
export function socketPathFault(path: string): string | null {
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true) return `there is no directory ${dirname(path)}`;
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there === undefined || there.isSocket() ? null : 'a file of that name is there that is no socket';
}

/** Removes a unix socket; any other kind of file stays. @throws what the file system says */
export function removeSocketFile(path: string): void {
  if (lstatSync(path).isSocket()) unlinkSync(path);
}
