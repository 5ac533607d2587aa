/** The attacks that `npm run bench -- --attack` measures, one connection each. */
import { sendInflating, sendUnfinished } from './calls.js';
import { HostileConnection } from './hostile-connection.js';
import { SCRIPTS } from './scripts.js';

export interface Attack {
  readonly title: string;
  /** Goes on until the process ends. */
  readonly start: (port: number) => void;
}

export const ATTACKS: ReadonlyMap<string, Attack> = new Map<string, Attack>([
  ['busy', { title: 'none: a process that takes a core, as attackers do', start: spin }],
  ...Object.entries(SCRIPTS).map(([name, script]): [string, Attack] => [
    name,
    {
      title: script.title,
      start: (port) => {
        new HostileConnection(port, script);
      },
    },
  ]),
  ['unfinished-messages', { title: '32 messages of 48 MiB, all but the end', start: sendUnfinished }],
  ['inflation-bomb', { title: 'messages of 48 KB that inflate to 48 MiB', start: sendInflating }],
]);

function spin(): void {
  for (let count = 0; count < 1e6; count++);
  setImmediate(spin);
}
