import { before, test } from 'node:test';
import assert from 'node:assert/strict';
import { createLog } from '../../../../src/app/telemetry/index.js';
import type { LogSettings } from '../../../../src/app/telemetry/index.js';
import { MAX_KEYS, SUMMARY_INTERVAL_MS } from '../../../../src/app/telemetry/repeated-lines.js';
import { SimulatedClock } from '../../../../src/base/index.js';

before(() => {
  process.env.TZ = 'UTC';
});

const SETTINGS: LogSettings = {
  level: 'info',
  log_pattern: '%time [%level][%field] - %msg',
  time_pattern: '2006-01-02 15:04:05.000',
  format: 'pattern',
};
const START = Date.UTC(2026, 2, 5, 7, 8, 9, 12);

function setUp(changes: Partial<LogSettings> = {}) {
  const written: string[] = [];
  const clock = new SimulatedClock(0, START);
  const log = createLog({ ...SETTINGS, ...changes }, clock, { write: (text) => written.push(text) });
  return { written, clock, log };
}

test('prints the original’s pattern, fields in the order given', () => {
  const { written, log } = setUp();
  log.info('pipe started', { pipe: 'als', name: 'x', address: ':11800' });
  log.warn('no fields');
  assert.deepEqual(written, [
    '2026-03-05 07:08:09.012 [info][pipe=als,name=x,address=:11800] - pipe started\n',
    '2026-03-05 07:08:09.012 [warning][] - no fields\n',
  ]);
});

test('text that was put in is not read as a placeholder', () => {
  const { written, log } = setUp({ log_pattern: '[%field] %msg %level %s' });
  log.error('100% %time %s %d %level', { key: '%msg' });
  assert.deepEqual(written, ['[key=%msg] 100% %time %s %d %level error %s\n']);
});

test('every occurrence of a placeholder is filled in', () => {
  const { written, log } = setUp({ log_pattern: '%level|%level|%msg' });
  log.info('a');
  assert.deepEqual(written, ['info|info|a\n']);
});

test('a newline is added only to a pattern that has none', () => {
  const { written, log } = setUp({ log_pattern: '%msg\r\n%level' });
  log.info('a');
  assert.deepEqual(written, ['a\r\ninfo']);
});

test('a message from outside cannot write a line of its own', () => {
  const { written, log } = setUp({ log_pattern: '%field %msg' });
  log.error('bad\n2026 [info][] - all is well', { peer: 'a\r\nb\u001b[31m' });
  assert.deepEqual(written, ['peer=a\\r\\nb\\u001b[31m bad\\n2026 [info][] - all is well\n']);
});

test('levels are the original’s, whatever their case', () => {
  for (const [level, expected] of [
    ['panic', 0],
    ['FATAL', 0],
    ['error', 1],
    ['warn', 2],
    ['Warning', 2],
    ['info', 3],
    ['debug', 4],
    ['trace', 4],
  ] as const) {
    const { written, log } = setUp({ level });
    log.debug('d');
    log.info('i');
    log.warn('w');
    log.error('e');
    assert.equal(written.length, expected, level);
  }
});

test('an unknown level says so and counts as info', () => {
  const { written, log } = setUp({ level: 'loud' });
  log.debug('d');
  log.info('i');
  assert.equal(written.length, 2);
  assert.match(written[0]!, /\[warning\]\[\] - unknown log level "loud", using info/);
});

test('format json writes one object a line', () => {
  const { written, log } = setUp({ format: 'json' });
  log.warn('slow\nendpoint', { endpoint: 'oap-1:11800' });
  assert.equal(written.length, 1);
  assert.deepEqual(JSON.parse(written[0]!), {
    level: 'warning',
    time: '2026-03-05T07:08:09.012Z',
    endpoint: 'oap-1:11800',
    msg: 'slow\nendpoint',
  });
});

test('a repeated line is written at once, then summed up once per interval', () => {
  const { written, clock, log } = setUp({ log_pattern: '%msg %field' });
  log.repeated('warn', 'full', 'queue full', { pipe: 'als' });
  assert.deepEqual(written, ['queue full pipe=als\n']);
  for (let count = 0; count < 1_000; count++) {
    clock.advance(30);
    log.repeated('warn', 'full', 'queue full', { pipe: 'als' });
  }
  assert.deepEqual(written.slice(1), ['queue full pipe=als,repeated=666\n']);
  clock.advance(SUMMARY_INTERVAL_MS);
  assert.equal(written.length, 3);
  assert.match(written[2]!, /repeated=334/);
});

test('a key that stayed quiet starts anew, and leaves no timer behind', () => {
  const { written, clock, log } = setUp({ log_pattern: '%msg%field' });
  log.repeated('error', 'down', 'down');
  clock.advance(SUMMARY_INTERVAL_MS);
  assert.equal(clock.pendingTimers, 0);
  log.repeated('error', 'down', 'down');
  assert.deepEqual(written, ['down\n', 'down\n']);
});

test('keys are independent of each other and bounded in number', () => {
  const { written, clock, log } = setUp({ log_pattern: '%msg%field' });
  for (let key = 0; key < 2 * MAX_KEYS; key++) log.repeated('warn', `peer ${String(key)}`, 'refused');
  assert.equal(written.length, MAX_KEYS + 1);
  clock.advance(SUMMARY_INTERVAL_MS);
  assert.equal(written.length, MAX_KEYS + 2);
  assert.equal(written.at(-1), `refusedrepeated=${String(MAX_KEYS - 1)}\n`);
});

test('flush writes outstanding sums and hands everything over', () => {
  const written: string[] = [];
  let flushes = 0;
  const clock = new SimulatedClock(0, START);
  const output = { write: (text: string) => written.push(text), flushSync: () => flushes++ };
  const log = createLog({ ...SETTINGS, log_pattern: '%msg%field' }, clock, output);
  log.repeated('info', 'k', 'a');
  log.repeated('info', 'k', 'a');
  log.flush();
  assert.deepEqual(written, ['a\n', 'arepeated=1\n']);
  assert.equal(flushes, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('a repeated line below the level costs nothing', () => {
  const { written, clock, log } = setUp({ level: 'error' });
  log.repeated('warn', 'k', 'a');
  assert.deepEqual(written, []);
  assert.equal(clock.pendingTimers, 0);
});
