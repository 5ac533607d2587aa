/** How payload comes out: in pieces, as they come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Http2Connection, Http2StreamHandle } from '../../src/net/http2/index.js';
import { lendChunk } from '../support/engine.js';
import { frame, REQUEST, ScriptedPeer, testSplits } from '../support/peer.js';

/** A server engine with one open stream; `pieces` are copies of its payload as it came. */
function openServer(): { engine: Http2Connection; pieces: Buffer[] } {
  const pieces: Buffer[] = [];
  const setEvents = (stream: Http2StreamHandle): void => {
    stream.events = {
      onHeaders: () => undefined,
      onData: (_stream, slice) => pieces.push(Buffer.from(slice)),
      onReset: () => undefined,
      onDrain: () => undefined,
    };
  };
  const peer = new ScriptedPeer('server', { onStream: setEvents }).handshake();
  peer.send(peer.headers(1, REQUEST, false));
  return { engine: peer.engine, pieces };
}

test('payload comes in pieces, as the chunks come', () => {
  const { engine, pieces } = openServer();
  const whole = frame('DATA', 0, 1, Buffer.alloc(9000, 1));
  lendChunk(engine, whole.subarray(0, 4000));
  lendChunk(engine, whole.subarray(4000));
  assert.deepEqual(pieces, [Buffer.alloc(3991, 1), Buffer.alloc(5009, 1)]);
});

testSplits('many messages on many streams come out as they went in', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  const ids = [1, 3, 5, 7];
  for (const id of ids) peer.send(peer.headers(id, REQUEST, false));
  const sent = new Map<number, Buffer[]>(ids.map((id) => [id, []]));
  for (let round = 0; round < 40; round++) {
    const id = ids[round % ids.length]!;
    const payload = Buffer.alloc((round * 37) % 500, round);
    sent.get(id)!.push(payload);
    peer.send(frame('DATA', round >= 36 ? 1 : 0, id, payload));
  }
  for (const id of ids) {
    assert.deepEqual(peer.dataOf(id), Buffer.concat(sent.get(id)!));
    assert.equal(peer.eventsOf('data', id).at(-1)?.isEnd, true);
  }
});
