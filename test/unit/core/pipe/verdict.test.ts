import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VERDICT, classifyStatus } from '../../../../src/core/pipe/verdict.js';
import { statusOf } from '../../../support/channel.js';

describe('what a status says about a batch', () => {
  it('tells whose fault each code is', () => {
    const byCode = Array.from({ length: 18 }, (_, code) => classifyStatus(statusOf(code)));
    const { delivered, retry, refusesMethod, refusesToken, badData, suspectData } = VERDICT;
    assert.deepEqual(byCode, [
      delivered,
      retry, // CANCELLED
      suspectData, // UNKNOWN
      badData, // INVALID_ARGUMENT
      retry, // DEADLINE_EXCEEDED
      retry, // NOT_FOUND
      retry, // ALREADY_EXISTS
      refusesToken, // PERMISSION_DENIED
      retry, // RESOURCE_EXHAUSTED
      retry, // FAILED_PRECONDITION
      retry, // ABORTED
      badData, // OUT_OF_RANGE
      refusesMethod, // UNIMPLEMENTED
      suspectData, // INTERNAL
      retry, // UNAVAILABLE
      badData, // DATA_LOSS
      refusesToken, // UNAUTHENTICATED
      retry, // not in the table
    ]);
  });

  it('knows how each library names a message that is too large', () => {
    for (const message of [
      'gRPC message exceeds maximum size 4194304: 5000000',
      'grpc: received message larger than max (5000000 vs. 4194304)',
      'Received message larger than max (5000000 vs. 4194304)',
    ]) {
      assert.equal(classifyStatus(statusOf(8, { message })), VERDICT.badData, message);
    }
    assert.equal(classifyStatus(statusOf(8, { message: 'Watermark exceeded' })), VERDICT.retry);
  });

  it('blames the connection for a status made on this side', () => {
    for (const code of [3, 12, 13, 16]) assert.equal(classifyStatus(statusOf(code, { isLocal: true })), VERDICT.retry);
  });
});
