import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'satellite-launcher-'));
after(() => {
  rmSync(folder, { recursive: true });
});
mkdirSync(join(folder, 'bin'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
for (const file of ['bin/satellite', 'bin/node-flags']) copyFileSync(file, join(folder, file));

test('before the first build the launcher tells what to do', () => {
  const { status, stderr } = spawnSync(join(folder, 'bin/satellite'), ['start'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^satellite is not built yet\. Run: cd .* && npm ci && npm run build\n$/);
});

test('a link to the launcher runs the built program with its arguments', () => {
  mkdirSync(join(folder, 'dist/src'), { recursive: true });
  writeFileSync(join(folder, 'dist/src/main.js'), 'console.log(process.argv.slice(2).join()); process.exitCode = 78;');
  symlinkSync(join(folder, 'bin/satellite'), join(folder, 'skywalking-satellite'));
  const { status, stdout } = spawnSync(join(folder, 'skywalking-satellite'), ['start', '-t', '1'], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [78, 'start,-t,1\n']);
});

test('the program runs in the process that was started, under the flags chosen for it', () => {
  writeFileSync(join(folder, 'dist/src/main.js'), 'console.log(JSON.stringify([process.pid, process.execArgv]));');
  const { pid, stdout } = spawnSync(join(folder, 'bin/satellite'), [], {
    encoding: 'utf8',
    env: { ...process.env, SATELLITE_NODE_FLAGS: '--expose-gc --no-warnings' },
  });
  const [programPid, flags] = JSON.parse(stdout) as [number, string[]];
  assert.equal(programPid, pid);
  assert.deepEqual(flags, [
    '--single-threaded-gc',
    '--no-memory-reducer',
    '--max-semi-space-size=4',
    '--expose-gc',
    '--no-warnings',
  ]);
});
