/** One stored field, named thousands of times: the list is never built, the call is refused, the connection goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_HTTP2_SETTINGS } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, testSplits } from '../support/peer.js';

const LARGE_VALUE = 'v'.repeat(3_900);
const FRAME_BYTES = 16_384;
/** The index of the field stored last. */
const NEWEST = 0xbe;

function bomb(peer: ScriptedPeer, streamId: number): Buffer {
  const references = Buffer.alloc(FRAME_BYTES - 2_000, NEWEST);
  return frame('HEADERS', 5, streamId, Buffer.concat([peer.block(REQUEST), references]));
}

testSplits('a header list of references costs its call only', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, [...REQUEST, 'x-large', LARGE_VALUE], false));
  peer.send(bomb(peer, 3));
  peer.send(peer.headers(5, REQUEST, true));
  assert.equal(peer.engine.isClosed, false);
  assert.ok(!peer.streams.has(3), 'no handler hears of it');
  const answers = peer.frames().filter((seen) => seen.streamId === 3);
  assert.ok(answers.length > 0, 'the peer is told');
  assert.deepEqual(peer.streams.has(5), true);
});

test('what is kept of a list is within the limit, whatever it names', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.send(peer.headers(1, [...REQUEST, 'x-large', LARGE_VALUE], false));
  const before = process.memoryUsage().heapUsed;
  const rounds = 20;
  for (let round = 0; round < rounds; round++) peer.send(bomb(peer, 2 * round + 3));
  const built = process.memoryUsage().heapUsed - before;
  // Built in full each would be 14,000 × 3.9 KB.
  assert.ok(built < rounds * 8 * DEFAULT_HTTP2_SETTINGS.maxHeaderListBytes, `${built} bytes`);
});
