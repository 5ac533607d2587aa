import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatProblem } from '../../../../src/app/config/index.js';
import { decode } from './sample-catalogue.js';

const LINES = readFileSync('configs/satellite_config.yaml', 'utf8')
  .split('\n')
  .filter((line) => !/^\s*(#|$)/.test(line));

const KEYS = LINES.map((line) => /^\s*(?:- )?(\w+):/.exec(line)?.[1]).filter((key) => key !== undefined);
const VALUES = [
  '',
  '~',
  '5',
  '-1',
  'true',
  'x',
  '""',
  '[]',
  '[1, [2]]',
  '{}',
  '{a: {b: c}}',
  '${A:',
  '${A}',
  '&x *x',
  '"',
  '\t',
];

/** One damaged line: another value, another indentation, another key, gone or twice. */
const damage = fc.oneof(
  fc.constantFrom(...VALUES).map((value) => (line: string) => line.replace(/:.*/, `: ${value}`)),
  fc.constantFrom(...KEYS).map((key) => (line: string) => line.replace(/\w+:/, `${key}:`)),
  fc.constantFrom('', '  ', '    ', '      - ').map((indent) => (line: string) => indent + line.trimStart()),
  fc.constant((line: string) => `${line}\n${line}`),
  fc.constant(() => ''),
);

test('a damaged file never throws: it is loaded, or says why not and where', () => {
  const hits = fc.array(fc.tuple(fc.nat(LINES.length - 1), damage), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(hits, (damages) => {
      const lines = [...LINES];
      for (const [index, change] of damages) lines[index] = change(lines[index] ?? '');
      const { config, problems } = decode(lines.join('\n'));
      assert.equal(
        config === null,
        problems.some((problem) => problem.severity === 'error'),
      );
      for (const problem of problems) {
        assert.match(formatProblem('f', problem), /^f(:\d+:\d+)?: .+\. .+ \[SAT_CFG_\w+\]/s);
      }
    }),
    { seed: 42, numRuns: 300 },
  );
});

test('any text at all is loaded or told about', () => {
  const pieces = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '-',
    '  ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '#',
    '&a',
    '*a',
    '|',
    '>',
    '!',
    '?',
    '<<',
    ',',
    '${',
    '---',
    '%',
    '\u0000',
    '\ufeff',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const { config, problems } = decode(parts.join(''));
      assert.ok(config === null && problems.length > 0);
    }),
    { seed: 43, numRuns: 2000 },
  );
});
