/** A peer that gives credit by the byte gets every byte, in order, and is neither cut off nor made expensive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUEST, RESPONSE, ScriptedPeer, frame, settingsFrame, u32 } from '../support/peer.js';

const INITIAL_WINDOW = 4;
const BODY = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251));

function bodyOf(frames: readonly { name: string; payload: Buffer }[]): Buffer {
  return Buffer.concat(frames.filter((seen) => seen.name === 'DATA').map((seen) => seen.payload));
}

test('a response to a window of one byte leaves byte by byte', () => {
  const peer = new ScriptedPeer('server').handshake([INITIAL_WINDOW, 1]);
  peer.send(peer.headers(1, REQUEST, true));
  const stream = peer.streams.get(1)!;
  stream.sendHeaders(RESPONSE, false);
  stream.sendData([BODY], BODY.length, false);
  stream.sendHeaders(['grpc-status', '0'], true);
  let received = bodyOf(peer.frames());
  assert.equal(received.length, 1);
  while (received.length < BODY.length) {
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(1)));
    const frames = peer.frames();
    assert.equal(bodyOf(frames).length, 1);
    received = Buffer.concat([received, bodyOf(frames)]);
  }
  assert.deepEqual(received, BODY);
  assert.equal(peer.engine.isClosed, false);
  assert.equal(peer.engine.openStreams, 0, 'the trailers left behind the last byte');
});

test('a window of no byte at all holds the body back and lets the answer of others go', () => {
  const peer = new ScriptedPeer('server').handshake([INITIAL_WINDOW, 0]);
  peer.send(peer.headers(1, REQUEST, true), peer.headers(3, REQUEST, true));
  const [first, second] = [peer.streams.get(1)!, peer.streams.get(3)!];
  first.sendHeaders(RESPONSE, false);
  first.sendData([BODY], BODY.length, true);
  second.sendHeaders([...RESPONSE, 'grpc-status', '0'], true);
  assert.deepEqual(peer.answers(), ['HEADERS 1', 'HEADERS 3 end']);
  assert.equal(first.unsentBytes, BODY.length);
  peer.send(settingsFrame([INITIAL_WINDOW, BODY.length]));
  assert.deepEqual(peer.answers(), ['SETTINGS 0 ack', `DATA 1 ${BODY.length} end`]);
});

test('credit of one byte to each of many streams costs a frame each, whatever else waits', () => {
  const streams = 100;
  const peer = new ScriptedPeer('server').handshake([INITIAL_WINDOW, 0]);
  const ids = Array.from({ length: streams }, (_, index) => 2 * index + 1);
  for (const id of ids) {
    peer.send(peer.headers(id, REQUEST, true));
    peer.streams.get(id)!.sendHeaders(RESPONSE, false);
    peer.streams.get(id)!.sendData([BODY], BODY.length, true);
  }
  peer.frames();
  for (const id of ids) peer.send(frame('WINDOW_UPDATE', 0, id, u32(1)));
  assert.deepEqual(
    peer.answers(),
    ids.map((id) => `DATA ${id} 1`),
  );
});
