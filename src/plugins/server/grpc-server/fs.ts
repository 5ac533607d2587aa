/** The files of the system that this plugin reads, and the one it may remove. */
import { lstatSync, readFileSync, unlinkSync } from 'node:fs';

/** Text of a small file; '' when it is not there: another system, or the other version of cgroups. */
export function readSystemText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Removes a unix socket; any other kind of file stays. @throws what the file system says */
export function removeSocketFile(path: string): void {
  if (lstatSync(path).isSocket()) unlinkSync(path);
}
