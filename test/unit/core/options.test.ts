import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  asOptions,
  booleanOption,
  durationOption,
  enumOption,
  groupOption,
  integerOption,
  listOption,
  numberOption,
  optionMeta,
  parseDuration,
  parseSize,
  sizeOption,
  stringOption,
} from '../../../src/core/options.js';

const doc = 'A sentence.';

/** The decoded value, or the message of what is wrong with it. */
function decode(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : `! ${result.error.issues[0]?.message ?? ''}`;
}

function check(schema: z.ZodType, cases: readonly (readonly [unknown, unknown])[]): void {
  for (const [value, expected] of cases) assert.deepEqual(decode(schema, value), expected, JSON.stringify(value));
}

test('an absent or null value takes the default', () => {
  const schema = z.object({
    text: stringOption({ doc, default: 'x' }),
    count: integerOption({ doc, default: 5, min: 1 }),
    wait: durationOption({ doc, default: '5s', unit: 'ms' }),
    size: sizeOption({ doc, default: '1MiB' }),
    list: listOption({ doc, default: ['a'] }),
    mode: enumOption(['on', 'off'], { doc, default: 'off' }),
    group: groupOption({ flag: booleanOption({ doc, default: true }) }),
  });
  const defaults = {
    text: 'x',
    count: 5,
    wait: 5000,
    size: 1024 ** 2,
    list: ['a'],
    mode: 'off',
    group: { flag: true },
  };
  assert.deepEqual(schema.parse({}), defaults);
  const nulls = Object.fromEntries(Object.keys(defaults).map((key) => [key, null]));
  assert.deepEqual(schema.parse(nulls), defaults);
});

test('a text is taken verbatim', () => {
  check(stringOption({ doc, default: 'x' }), [
    ['0123', '0123'],
    ['', ''],
    [' a ', ' a '],
    [12, '12'],
    [true, 'true'],
    [['a'], '! expected a text'],
    [{}, '! expected a text'],
  ]);
});

test('a boolean is true, t or 1, false, f, 0 or empty, in any case', () => {
  check(booleanOption({ doc, default: false }), [
    ['1', true],
    ['t', true],
    ['TRUE', true],
    ['tRuE', true],
    ['0', false],
    ['F', false],
    ['False', false],
    ['', false],
    [1, true],
    [true, true],
    ['yes', '! expected true or false'],
    [[], '! expected true or false'],
  ]);
});

test('a whole number may have a base prefix or an exponent', () => {
  check(integerOption({ doc, default: 0 }), [
    ['12', 12],
    ['+12', 12],
    ['-0x10', -16],
    ['0b101', 5],
    ['0o17', 15],
    ['017', 15],
    ['08', 8],
    ['1e3', 1000],
    [' 7 ', 7],
    ['', 0],
    [7, 7],
    ['1.5', '! expected a whole number'],
    ['abc', '! expected a whole number'],
    ['1 2', '! expected a whole number'],
    ['NaN', '! expected a whole number'],
    ['Infinity', '! expected a whole number'],
    ['true', '! expected a whole number'],
    [['1'], '! expected a whole number'],
  ]);
});

test('a number may have a fraction', () => {
  check(numberOption({ doc, default: 0 }), [
    ['0.5', 0.5],
    ['.5', 0.5],
    ['1.5e2', 150],
    ['x', '! expected a number'],
  ]);
});

test('bounds are told in the decoded unit', () => {
  check(integerOption({ doc, default: 1, min: 1, max: 9 }), [
    ['0', '! must be at least 1'],
    ['10', '! must be at most 9'],
  ]);
  check(durationOption({ doc, default: 1, unit: 's', min: 1 }), [['0', '! must be at least 1 ms']]);
  check(sizeOption({ doc, default: 1, max: 10 }), [['1KiB', '! must be at most 10 bytes']]);
});

test('a duration has units or counts in its own', () => {
  check(durationOption({ doc, default: 0, unit: 's' }), [
    ['5', 5000],
    [5, 5000],
    ['5s', 5000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['10us', 0.01],
    ['10µs', 0.01],
    ['', 0],
    ['5 s', '! expected a duration such as 5s or 250ms, or a number of seconds'],
    ['s', '! expected a duration such as 5s or 250ms, or a number of seconds'],
    ['5d', '! expected a duration such as 5s or 250ms, or a number of seconds'],
  ]);
  assert.equal(decode(durationOption({ doc, default: 0, unit: 'ms' }), '5'), 5);
  assert.equal(parseDuration('0x10', 1), 16);
});

test('a size has decimal or binary units', () => {
  const cases: readonly (readonly [unknown, number | undefined])[] = [
    ['1000', 1000],
    ['1kB', 1000],
    ['1KiB', 1024],
    ['64MiB', 64 * 1024 ** 2],
    ['512Mi', 512 * 1024 ** 2],
    ['1.5 GiB', 1.5 * 1024 ** 3],
    ['1G', 1e9],
    ['5 apples', undefined],
    ['MiB', undefined],
    [['1'], undefined],
  ];
  for (const [value, bytes] of cases) assert.equal(parseSize(value), bytes, JSON.stringify(value));
});

test('a word is taken in any case', () => {
  check(enumOption(['drop_newest', 'block'], { doc, default: 'block' }), [
    ['BLOCK', 'block'],
    [' block ', 'block'],
    ['none', '! expected one of drop_newest, block'],
    ['', '! expected one of drop_newest, block'],
    [['block'], '! expected one of drop_newest, block'],
  ]);
});

test('a list keeps its scalars as texts, and one text is split on commas', () => {
  check(listOption({ doc, default: [] }), [
    ['a, b ,c', ['a', 'b', 'c']],
    ['', []],
    [
      ['a', 1, true],
      ['a', '1', 'true'],
    ],
    [[['a']], '! expected a list of texts, or one text with commas'],
    [{}, '! expected a list of texts, or one text with commas'],
  ]);
});

test('a group that is no map is told so', () => {
  check(groupOption({ a: stringOption({ doc, default: '' }) }), [['x', '! expected a map of options']]);
});

test('a declaration can be read back', () => {
  const token = stringOption({ doc, default: '', isSecret: true, ours: true });
  assert.deepEqual(optionMeta(token), {
    type: 'string',
    unit: 'none',
    doc,
    defaultText: '""',
    isSecret: true,
    isOurs: true,
  });
  const meta = optionMeta(enumOption(['a', 'b'], { doc, default: 'b' }));
  assert.deepEqual([meta?.type, meta?.values, meta?.defaultText], ['enum', ['a', 'b'], '"b"']);
  const bounds = optionMeta(integerOption({ doc, default: 1, min: 1, max: 9, unit: 'percent' }));
  assert.deepEqual([bounds?.unit, bounds?.min, bounds?.max], ['percent', 1, 9]);
  assert.equal(optionMeta(z.string()), undefined);
});

test('a group is recognised also inside a preprocess or with a refinement', () => {
  const shape = { a: stringOption({ doc, default: '' }) };
  const object = z.object(shape);
  for (const schema of [object, groupOption(shape), z.preprocess((value) => value, object)]) {
    assert.deepEqual(Object.keys(asOptions(schema)?.shape ?? {}), ['a']);
  }
  assert.deepEqual(Object.keys(asOptions(object.superRefine(() => undefined))?.shape ?? {}), ['a']);
  assert.equal(asOptions(shape.a), undefined);
  assert.equal(asOptions(z.string()), undefined);
});
