import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const TELEMETRY = new URL('../../../../src/app/telemetry/index.js', import.meta.url).href;
const BASE = new URL('../../../../src/base/index.js', import.meta.url).href;
const LINES = 500;

/** Runs a process that logs to its standard output and then ends by `ending`. */
function outputOf(ending: string): string[] {
  const program = `
    import { createLog, openStandardOutput } from '${TELEMETRY}';
    import { systemClock } from '${BASE}';
    const settings = { level: 'info', log_pattern: '%msg', time_pattern: '', format: 'pattern' };
    const log = createLog(settings, systemClock, openStandardOutput());
    for (let line = 0; line < ${String(LINES)}; line++) log.info('line ' + line);
    ${ending}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n');
}

for (const [how, ending] of [
  ['by itself', ''],
  ['by process.exit', 'process.exit(1);'],
  ['by an exception', "throw new Error('bug');"],
] as const) {
  test(`a process that ends ${how} loses no line`, () => {
    const lines = outputOf(ending);
    assert.equal(lines.length, LINES);
    assert.equal(lines.at(-1), `line ${String(LINES - 1)}`);
  });
}
