/** `npm run bench`: builds what is missing, then measures. Options: see bench/main.ts. */
import { join } from 'node:path';
import { ROOT } from './files.mjs';
import { setup } from './setup.mjs';

setup();
await import(join(ROOT, 'dist/bench/main.js'));
