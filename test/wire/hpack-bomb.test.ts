/** One stored field, named many times: the list is never built. Somewhat too large costs its call, a bomb its connection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeRequestHeaders, FRAME_HEADER_BYTES } from '../../src/lab/fleet/http2-bytes.js';
import { DEFAULT_HTTP2_SETTINGS, H2_ENHANCE_YOUR_CALM } from '../../src/net/http2/index.js';
import { GUARDS } from '../../src/net/http2/flood-guard.js';
import { frame, ScriptedPeer, testSplits } from '../support/peer.js';

const LARGE_VALUE = 'v'.repeat(3_900);
/** A request that leaves the table as it is. */
const LITERALS = encodeRequestHeaders(1, 'v3', '10.0.0.1').subarray(FRAME_HEADER_BYTES);
/** The large field as a literal that goes into the table (RFC 7541 §6.2.1); its length is 127 and two more digits. */
const rest = LARGE_VALUE.length - 127;
const LARGE_FIELD = Buffer.concat([
  Buffer.from([0x40, 7]),
  Buffer.from('x-large'),
  Buffer.from([127, (rest & 127) | 128, rest >>> 7]),
  Buffer.from(LARGE_VALUE),
]);
/** Names twice our limit. */
const TOO_MANY = Math.ceil((2 * DEFAULT_HTTP2_SETTINGS.maxHeaderListBytes) / LARGE_VALUE.length);
/** Fills a frame: names 56 MB. */
const BOMB = 14_384;
/** The index of the field stored last. */
const NEWEST = 0xbe;

function references(streamId: number, count: number): Buffer {
  return frame('HEADERS', 5, streamId, Buffer.concat([LITERALS, Buffer.alloc(count, NEWEST)]));
}

testSplits('a list that is somewhat too large costs its call only', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(frame('HEADERS', 4, 1, Buffer.concat([LITERALS, LARGE_FIELD])));
  peer.send(references(3, TOO_MANY));
  peer.send(frame('HEADERS', 5, 5, LITERALS));
  assert.equal(peer.engine.isClosed, false);
  assert.ok(!peer.streams.has(3), 'no handler hears of it');
  const answers = peer.frames().filter((seen) => seen.streamId === 3);
  assert.ok(answers.length > 0, 'the peer is told');
  assert.deepEqual(peer.streams.has(5), true);
});

testSplits('a bomb of references ends its connection', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(frame('HEADERS', 4, 1, Buffer.concat([LITERALS, LARGE_FIELD])));
  peer.send(references(3, BOMB));
  const last = peer.frames().at(-1);
  assert.equal(last?.name, 'GOAWAY');
  assert.equal(last.payload.readUInt32BE(4), H2_ENHANCE_YOUR_CALM);
  assert.equal(peer.engine.counters.guardTrips.get(GUARDS.headerList.name), 1);
});

test('what is kept of a list is within the limit, whatever it names', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.send(frame('HEADERS', 4, 1, Buffer.concat([LITERALS, LARGE_FIELD])));
  const before = process.memoryUsage().heapUsed;
  const rounds = 20;
  for (let round = 0; round < rounds; round++) peer.send(references(2 * round + 3, TOO_MANY));
  const built = process.memoryUsage().heapUsed - before;
  assert.ok(built < rounds * 8 * DEFAULT_HTTP2_SETTINGS.maxHeaderListBytes, `${built} bytes`);
});
