import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fillPlaceholders } from '../../../../src/app/config/placeholder.js';

interface Row {
  readonly value: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly text: string;
}

function check(rows: readonly Row[]): void {
  for (const { value, environment, text } of rows) {
    const given = environment === undefined ? '' : ` with ${JSON.stringify(environment)}`;
    assert.equal(fillPlaceholders(value, environment ?? {}).text, text, `${value}${given}`);
  }
}

test('a default stands for an unset variable, and gives way to a set one', () => {
  check([
    { value: '${A:test}', text: 'test' },
    { value: '${A:test}', environment: { A: 'other' }, text: 'other' },
    { value: '${A:10}', text: '10' },
    { value: '${A:10}', environment: { A: '15' }, text: '15' },
    { value: '${A:10.5}', environment: { A: '15.7' }, text: '15.7' },
    { value: '${A:true}', environment: { A: 'false' }, text: 'false' },
  ]);
});

test('a variable that is set to nothing counts as unset', () => {
  check([{ value: '${A:10}', environment: { A: '' }, text: '10' }]);
});

test('a default may be empty and may hold colons', () => {
  check([
    { value: '${A:}', text: '' },
    { value: '${A::1234}', text: ':1234' },
    { value: '${A:-5}', text: '-5' },
    { value: '${A:"":}', text: '"":' },
    { value: '${A:http://h:1/}', text: 'http://h:1/' },
    { value: '${A:%time [%level][%field] - %msg}', text: '%time [%level][%field] - %msg' },
  ]);
});

test('quotes around a default or a variable are taken off', () => {
  check([
    { value: '${A:"10.5"}', text: '10.5' },
    { value: '${A:10}', environment: { A: '"0123"' }, text: '0123' },
    { value: '${A:""}', text: '' },
    { value: 'x ${A:"b"} y', text: 'x b y' },
    { value: '${A:"a" b}', text: '"a" b' },
  ]);
});

test('a variable that is one quote character stays that character', () => {
  check([{ value: '${A:1}', environment: { A: '"' }, text: '"' }]);
});

test('names may end in anything and have lower case, digits and underscores', () => {
  check([
    { value: '${SATELLITE_grpc_CA:"x"}', text: 'x' },
    { value: '${A_:x}', environment: { A_: 'y' }, text: 'y' },
    { value: '${A1:x}', environment: { A1: 'y' }, text: 'y' },
    { value: '${a:x}', environment: { a: 'y' }, text: 'y' },
    { value: '${NAME_2:x}', text: 'x' },
  ]);
});

test('placeholders may stand anywhere, and several in one value', () => {
  check([
    { value: 'pre ${A:b}', text: 'pre b' },
    { value: '${A:b} tail', text: 'b tail' },
    { value: '${A:b}:${B:c}', environment: { B: 'd' }, text: 'b:d' },
    { value: 'http://${H:x}:80', environment: { H: 'host' }, text: 'http://host:80' },
    { value: '${A:"a}"}${B:b}', text: 'a}b' },
  ]);
});

test('text that only looks like a placeholder stays', () => {
  check([
    { value: 'http://H:1}', text: 'http://H:1}' },
    { value: 'a}b{c', text: 'a}b{c' },
    { value: '$A', text: '$A' },
    { value: '${A}', environment: { A: 'x' }, text: '${A}' },
    { value: '${}', text: '${}' },
  ]);
});

test('braces inside a default are counted, those in its quotes are not', () => {
  check([
    { value: '${A:{"k":{"n":1}}}', text: '{"k":{"n":1}}' },
    { value: '${A:"a}b"}', text: 'a}b' },
    { value: '${A:p{w}', text: 'p{w' },
  ]);
});

test('what the environment gives is not expanded again', () => {
  check([
    { value: '${A:x}', environment: { A: '${B:y}', B: 'z' }, text: '${B:y}' },
    { value: '${A:x}', environment: { A: 'a}b' }, text: 'a}b' },
  ]);
});

test('two dollars before a brace write the text', () => {
  check([
    { value: '$${A:b}', text: '${A:b}' },
    { value: '$${', text: '${' },
    { value: 'x $${A:b} ${A:c}', text: 'x ${A:b} c' },
  ]);
});

test('a placeholder without an end and one without a colon are told apart', () => {
  assert.deepEqual(fillPlaceholders('x ${A:b', {}).unterminated, [{ offset: 2, text: '${A:b' }]);
  assert.deepEqual(fillPlaceholders('x ${A}', {}).literal, [{ offset: 2, text: '${A}' }]);
  assert.deepEqual(fillPlaceholders('$${A', {}).literal, []);
});

test('only a value that is one unquoted placeholder is untyped', () => {
  const untyped = (value: string): boolean => fillPlaceholders(value, {}).isUntyped;
  assert.deepEqual(['${A:07}', '${A:"07"}', '07', '${A:0}7', '0${A:7}', '${A:0}${B:7}'].map(untyped), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('the names found are listed in order', () => {
  assert.deepEqual(fillPlaceholders('${B:1}${A:2}$${C:3}', {}).names, ['B', 'A']);
});

test('any text is filled without an exception, and text without ${ is never changed', () => {
  const pieces = fc.constantFrom('${', '$${', '}', '{', ':', '"', 'A', 'b', '1', '$', ' ', '\n', 'é', '${A:');
  const value = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(value, fc.dictionary(fc.constantFrom('A', 'b', 'A1'), fc.string()), (source, environment) => {
      const { text } = fillPlaceholders(source, environment);
      if (!source.includes('${')) assert.equal(text, source);
    }),
    { seed: 20_260_101, numRuns: 2000 },
  );
});

test('a text with each ${ doubled comes back as it was', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const source = text.replaceAll('${', '$${');
      // A dollar before the brace would join the escape.
      fc.pre(!text.includes('$${'));
      assert.equal(fillPlaceholders(source, {}).text, text);
    }),
    { seed: 7, numRuns: 1000 },
  );
});
