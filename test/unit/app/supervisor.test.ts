import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Compiled beside this file. */
const SUPERVISOR = fileURLToPath(new URL('../../../src/app/supervisor.js', import.meta.url));

/** Runs `body` in a process of its own, for the runner has handlers of its own. */
function run(body: string): { status: number | null; lines: string[] } {
  const program = `
    import { superviseProcess } from ${JSON.stringify(SUPERVISOR)};
    const counters = new Map();
    const metrics = { counter: (definition, { origin }) => {
      const counter = { value: 0 };
      counters.set(origin, counter);
      return counter;
    } };
    const log = { repeated: (level, key, message, fields) => console.log(level, fields.origin, fields.code, fields.error.split('\\n')[0]) };
    const supervisor = superviseProcess(log, metrics);
    ${body}
  `;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return { status: child.status, lines: child.stdout.trim().split('\n') };
}

test('exceptions and rejections that nobody met are told and counted, and the process goes on', () => {
  const { status, lines } = run(`
    setTimeout(() => { throw new Error('boom'); }, 1);
    setTimeout(() => { Promise.reject(new TypeError('later')); }, 2);
    setTimeout(() => { console.log(counters.get('exception').value, counters.get('rejection').value); }, 20);
  `);
  assert.equal(status, 0);
  assert.deepEqual(lines, ['error exception SAT_BUG Error: boom', 'error rejection SAT_BUG TypeError: later', '1 1']);
});

test('what is thrown need not be an error', () => {
  const { lines } = run(`setTimeout(() => { throw 'a word'; }, 1);`);
  assert.match(lines[0] ?? '', /^error exception SAT_BUG .*a word/);
});

test('without it, as after its end, such an error ends the process', () => {
  const { status } = run(`supervisor.dispose(); setTimeout(() => { throw new Error('boom'); }, 1);`);
  assert.notEqual(status, 0);
});
