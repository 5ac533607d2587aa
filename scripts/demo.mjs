/** `npm run demo`: builds what is missing, then runs `satellite demo` with the same options. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './files.mjs';
import { setup } from './setup.mjs';

setup();
const child = spawn(join(ROOT, 'bin/satellite'), ['demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// Ctrl-C reaches both; the demo ends in its own order, this process with it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('exit', (code) => process.exit(code ?? 1));
