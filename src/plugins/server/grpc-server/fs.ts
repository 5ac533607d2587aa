/** The files of the system that this plugin reads, and the one it may remove. */
import { accessSync, constants, lstatSync, readFileSync, statSync, unlinkSync } from 'node:fs';
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
  const folder = dirname(path);
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return `there is no directory ${folder}`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    const there = lstatSync(path, { throwIfNoEntry: false });
    return there === undefined || there.isSocket() ? null : 'a file of that name is there that is no socket';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Removes a unix socket; any other kind of file stays. @throws what the file system says */
export function removeSocketFile(path: string): void {
  if (lstatSync(path).isSocket()) unlinkSync(path);
}
