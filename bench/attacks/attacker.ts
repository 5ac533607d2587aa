/** One attack in a process of its own. Usage: node attacker.js --attack NAME --port N; ends with its standard input. */
import { parseArgs } from 'node:util';
import { ATTACKS } from './index.js';

const { values } = parseArgs({ options: { attack: { type: 'string', default: '' }, port: { type: 'string' } } });
const attack = ATTACKS.get(values.attack);
if (attack === undefined) throw new Error(`no attack ${values.attack}: ${[...ATTACKS.keys()].join(', ')}`);
attack.start(Number(values.port));
process.stdin.resume();
process.stdin.on('end', () => {
  process.exit(0);
});
