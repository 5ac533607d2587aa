import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { binaryFieldsOf, customMetadataOf, encodeBinaryValue, fieldOf } from '../../../../src/net/grpc/metadata.js';
import { decodeStatusMessage, encodeStatusMessage } from '../../../../src/net/grpc/percent.js';
import { resetCodeOf, statusOfHttp, statusOfReset } from '../../../../src/net/grpc/status-map.js';
import { GRPC_STATUS, statusName } from '../../../../src/net/grpc/status.js';
import { decodeTimeout, encodeTimeout } from '../../../../src/net/grpc/timeout.js';

test('a status message survives its coding, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const value = encodeStatusMessage(text);
      assert.match(value, /^[\x20-\x7e]*$/);
      assert.equal(decodeStatusMessage(value), text);
    }),
  );
  assert.equal(encodeStatusMessage('50% of Zürich\n'), '50%25 of Z%C3%BCrich%0A');
});

test('broken percent codes stay as they are', () => {
  assert.equal(decodeStatusMessage('100% %zz %4 %41'), '100% %zz %4 A');
});

test('timeouts are read in every unit and refused when malformed', () => {
  assert.equal(decodeTimeout('3H'), 3 * 3_600_000);
  assert.equal(decodeTimeout('2M'), 120_000);
  assert.equal(decodeTimeout('5S'), 5000);
  assert.equal(decodeTimeout('7m'), 7);
  assert.equal(decodeTimeout('500u'), 0.5);
  assert.equal(decodeTimeout('99999999n'), 99.999999);
  for (const wrong of ['', '5', 'S', '5s', '-1S', '123456789m', '1.5S', '1 S'])
    assert.ok(Number.isNaN(decodeTimeout(wrong)), wrong);
});

test('timeouts are written within eight digits and never as zero', () => {
  assert.equal(encodeTimeout(1500), '1500m');
  assert.equal(encodeTimeout(0.2), '1m');
  assert.equal(encodeTimeout(-5), '1m');
  assert.equal(encodeTimeout(2e8), '200000S');
  assert.equal(encodeTimeout(5e11), '138889H');
  fc.assert(fc.property(fc.double({ min: 0, max: 3e14, noNaN: true }), (ms) => decodeTimeout(encodeTimeout(ms)) >= ms));
});

test('binary metadata is base64, padded or not, alone or joined by commas', () => {
  const bytes = Buffer.from([0, 255, 1, 2]);
  assert.equal(encodeBinaryValue(bytes), 'AP8BAg');
  const fields = ['a-bin', 'AP8BAg', 'b', 'x', 'a-bin', 'AP8BAg==, AQ'];
  assert.deepEqual(binaryFieldsOf(fields, 'a-bin'), [bytes, bytes, Buffer.from([1])]);
  assert.deepEqual(binaryFieldsOf(fields, 'c-bin'), []);
});

test('custom metadata is what neither HTTP nor gRPC claims', () => {
  const fields = [':path', '/a', 'te', 'trailers', 'grpc-timeout', '1S', 'agent-version', '9.4.0', 'user-agent', 'x'];
  assert.deepEqual(customMetadataOf(fields), ['agent-version', '9.4.0']);
  assert.equal(fieldOf(fields, 'agent-version'), '9.4.0');
  assert.equal(fieldOf(fields, 'absent'), undefined);
});

test('errors of HTTP/2 and HTTP become the statuses of gRPC', () => {
  assert.equal(statusOfReset(0x7), GRPC_STATUS.UNAVAILABLE);
  assert.equal(statusOfReset(0x8), GRPC_STATUS.CANCELLED);
  assert.equal(statusOfReset(0xb), GRPC_STATUS.RESOURCE_EXHAUSTED);
  assert.equal(statusOfReset(0xc), GRPC_STATUS.PERMISSION_DENIED);
  assert.equal(statusOfReset(0x1), GRPC_STATUS.INTERNAL);
  assert.equal(statusOfReset(0x999), GRPC_STATUS.UNKNOWN);
  assert.equal(statusOfHttp(503), GRPC_STATUS.UNAVAILABLE);
  assert.equal(statusOfHttp(404), GRPC_STATUS.UNIMPLEMENTED);
  assert.equal(statusOfHttp(401), GRPC_STATUS.UNAUTHENTICATED);
  assert.equal(statusOfHttp(403), GRPC_STATUS.PERMISSION_DENIED);
  assert.equal(statusOfHttp(400), GRPC_STATUS.INTERNAL);
  assert.equal(statusOfHttp(418), GRPC_STATUS.UNKNOWN);
  assert.equal(resetCodeOf(GRPC_STATUS.DEADLINE_EXCEEDED), 0x8);
  assert.equal(statusName(14), 'UNAVAILABLE');
  assert.equal(statusName(99), 'CODE(99)');
});
