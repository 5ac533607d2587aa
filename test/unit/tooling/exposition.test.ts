import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExposition, sumOf } from '../../support/exposition.js';

const PAGE = `# HELP requests_total All "requests".
# TYPE requests_total counter
requests_total{code="200",path="/a\\"b,c"} 3
requests_total{code="500",path="/"} 1.5e1
up 1
bucket{le="+Inf",} 4 1700000000000
`;

test('a Prometheus page is read with its labels, escapes and numbers', () => {
  assert.deepEqual(parseExposition(PAGE), [
    { name: 'requests_total', labels: { code: '200', path: '/a"b,c' }, value: 3 },
    { name: 'requests_total', labels: { code: '500', path: '/' }, value: 15 },
    { name: 'up', labels: {}, value: 1 },
    { name: 'bucket', labels: { le: '+Inf' }, value: 4 },
  ]);
});

test('a sum takes the series whose labels contain the wanted ones', () => {
  const samples = parseExposition(PAGE);
  assert.equal(sumOf(samples, 'requests_total'), 18);
  assert.equal(sumOf(samples, 'requests_total', { code: '500' }), 15);
  assert.equal(sumOf(samples, 'absent'), 0);
});
