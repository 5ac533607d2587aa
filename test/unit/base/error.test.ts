import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUG, SatelliteError } from '../../../src/base/index.js';
import type { ErrorKind } from '../../../src/base/index.js';

const REFUSED: ErrorKind = {
  code: 'SAT_TEST_REFUSED',
  scope: 'endpoint',
  origin: 'remote',
  disposition: 'retry',
  doc: 'For this test.',
};

test('carries what its kind says, and the details given', () => {
  const cause = new Error('ECONNREFUSED');
  const error = new SatelliteError(REFUSED, 'no', { cause, retryAfterMs: 250, grpcStatus: 14 });
  assert.equal(error.code, 'SAT_TEST_REFUSED');
  assert.equal(error.scope, 'endpoint');
  assert.equal(error.origin, 'remote');
  assert.equal(error.disposition, 'retry');
  assert.equal(error.cause, cause);
  assert.equal(error.retryAfterMs, 250);
  assert.equal(error.grpcStatus, 14);
  assert.ok(error instanceof Error);
});

test('without details there is no cause, and the gRPC status is UNKNOWN', () => {
  const error = new SatelliteError(REFUSED, 'no');
  assert.equal('cause' in error, false);
  assert.equal(error.retryAfterMs, 0);
  assert.equal(error.grpcStatus, 2);
});

test('from wraps anything once', () => {
  const own = new SatelliteError(REFUSED, 'no');
  assert.equal(SatelliteError.from(own), own);
  const thrown = new TypeError('x is not a function');
  const wrapped = SatelliteError.from(thrown);
  assert.equal(wrapped.code, BUG.code);
  assert.equal(wrapped.message, thrown.message);
  assert.equal(wrapped.cause, thrown);
  assert.equal(SatelliteError.from('text', REFUSED).message, 'text');
  assert.equal(SatelliteError.from('text', REFUSED).code, REFUSED.code);
});
