import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HPACK_ERRORS } from '../../../../src/net/hpack/index.js';
import { errorCodeName, H2_CANCEL, H2_HTTP_1_1_REQUIRED, HTTP2_ERRORS } from '../../../../src/net/http2/index.js';

test('codes have the names of the RFC, unknown ones their number', () => {
  assert.equal(errorCodeName(H2_CANCEL), 'CANCEL');
  assert.equal(errorCodeName(H2_HTTP_1_1_REQUIRED), 'HTTP_1_1_REQUIRED');
  assert.equal(errorCodeName(99), 'code 99');
});

test('error codes are unique and say what happened in a sentence', () => {
  const kinds = [...Object.values(HTTP2_ERRORS), ...Object.values(HPACK_ERRORS)];
  assert.equal(new Set(kinds.map((kind) => kind.code)).size, kinds.length);
  for (const kind of kinds) assert.match(kind.doc, /^[A-Z].*\.$/);
});
