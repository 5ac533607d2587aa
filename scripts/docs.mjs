/**
 * Writes the generated pages (docs/config, docs/metrics.md, docs/errors.md) and configs/satellite.schema.json from the
 * declarations in the code. `--check` writes nothing and fails when one of them is not up to date.
 */
import { join } from 'node:path';
import { ROOT } from './files.mjs';
import { run, setup } from './setup.mjs';

setup();
process.exitCode = run(join(ROOT, 'bin/satellite'), ['docs', '--output', ROOT, ...process.argv.slice(2)]);
