/** The files of the system that this plugin reads. */
import { readFileSync } from 'node:fs';

/** Text of a small file; '' when it is not there: another system, or the other version of cgroups. */
export function readSystemText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
