/** How payload comes out: as slices of the chunks, in pieces as they come, with their cost in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_HTTP2_SETTINGS, Http2Connection } from '../../src/net/http2/index.js';
import type { Http2StreamHandle } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, testSplits } from '../support/peer.js';

interface Piece {
  readonly slice: Uint8Array;
  readonly pinnedBytes: number;
}

/** A server engine with one open stream whose raw slices are kept. */
function openServer(): { engine: Http2Connection; pieces: Piece[] } {
  const pieces: Piece[] = [];
  const setEvents = (stream: Http2StreamHandle): void => {
    stream.events = {
      onHeaders: () => undefined,
      onData: (_stream, slice, pinnedBytes) => pieces.push({ slice, pinnedBytes }),
      onReset: () => undefined,
      onDrain: () => undefined,
    };
  };
  const peer = new ScriptedPeer('server', { onStream: setEvents }).handshake();
  peer.send(peer.headers(1, REQUEST, false));
  return { engine: peer.engine, pieces };
}

/** A chunk with memory of its own, as a socket gives it. */
function chunkOf(...parts: Uint8Array[]): Buffer {
  return Buffer.from(new Uint8Array(Buffer.concat(parts)).buffer);
}

describe('payload is not copied', () => {
  test('when it fills its chunk', () => {
    const { engine, pieces } = openServer();
    const chunk = chunkOf(frame('DATA', 0, 1, Buffer.alloc(5000, 7)));
    engine.receive(chunk, 0);
    assert.equal(pieces[0]?.slice.buffer, chunk.buffer);
    assert.deepEqual(pieces[0].slice, chunk.subarray(9));
    assert.equal(pieces[0].pinnedBytes, chunk.length);
  });

  test('when it is large, however large the chunk', () => {
    const { engine, pieces } = openServer();
    const chunk = chunkOf(frame('DATA', 0, 1, Buffer.alloc(2000)), frame('DATA', 0, 1, Buffer.alloc(16384)));
    engine.receive(chunk, 0);
    assert.ok(pieces.every((piece) => piece.slice.buffer === chunk.buffer));
  });

  test('in pieces, as the chunks come', () => {
    const { engine, pieces } = openServer();
    const whole = frame('DATA', 0, 1, Buffer.alloc(9000, 1));
    const first = chunkOf(whole.subarray(0, 4000));
    const second = chunkOf(whole.subarray(4000));
    engine.receive(first, 0);
    engine.receive(second, 0);
    assert.deepEqual(
      pieces.map((piece) => [piece.slice.length, piece.pinnedBytes]),
      [
        [3991, 4000],
        [5009, 5009],
      ],
    );
    assert.equal(pieces[1]?.slice.buffer, second.buffer);
  });
});

describe('a slice that would pay for much more than itself is copied', () => {
  const other = frame(0xee, 0, 0, Buffer.alloc(8000));

  test('and pins itself only', () => {
    const { engine, pieces } = openServer();
    const chunk = chunkOf(other, frame('DATA', 0, 1, Buffer.alloc(100, 3)), frame('DATA', 0, 1, Buffer.alloc(16000)));
    engine.receive(chunk, 0);
    assert.notEqual(pieces[0]?.slice.buffer, chunk.buffer);
    assert.deepEqual(pieces[0]?.slice, Buffer.alloc(100, 3));
    assert.equal(pieces[0].pinnedBytes, 100);
    assert.equal(pieces[1]?.pinnedBytes, chunk.length, 'what was copied is still paid for by who pins the chunk');
  });

  test('and copies never overlap', () => {
    const { engine, pieces } = openServer();
    for (let round = 0; round < 200; round++) {
      engine.receive(chunkOf(other, frame('DATA', 0, 1, Buffer.alloc(500, round))), round * 100);
    }
    pieces.forEach((piece, index) => assert.deepEqual(piece.slice, Buffer.alloc(500, index)));
    assert.ok(pieces.every((piece) => piece.pinnedBytes === 500));
  });
});

test('small messages that fill a chunk share it', () => {
  const { engine, pieces } = openServer();
  const chunk = chunkOf(...Array.from({ length: 100 }, () => frame('DATA', 0, 1, Buffer.alloc(200))));
  engine.receive(chunk, 0);
  assert.ok(pieces.every((piece) => piece.slice.buffer === chunk.buffer && piece.pinnedBytes === 209));
});

test('the slices that pin a chunk pay for all of it, the memory behind it included', () => {
  const { engine, pieces } = openServer();
  const memory = Buffer.from(new Uint8Array(12_000).buffer);
  const frames = [2000, 3000, 2500].map((size) => frame('DATA', 0, 1, Buffer.alloc(size)));
  const length = Buffer.concat(frames).copy(memory);
  engine.receive(memory.subarray(0, length), 0);
  assert.equal(
    pieces.reduce((sum, piece) => sum + piece.pinnedBytes, 0),
    12_000,
  );
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

test('what an engine sends it never writes into again', () => {
  const events = {
    onStream: () => undefined,
    onSettings: () => undefined,
    onGoAway: () => undefined,
    onStreamClosed: () => undefined,
  };
  const host = { onOutput: () => undefined, onFinished: () => undefined };
  const connections = Array.from(
    { length: 20 },
    () => new Http2Connection('client', DEFAULT_HTTP2_SETTINGS, events, host),
  );
  const outputs = connections.map((connection) => connection.takeOutput());
  const copies = outputs.map((parts) => Buffer.concat(parts));
  for (let round = 0; round < 50; round++) {
    for (const connection of connections) {
      connection.ping(() => undefined);
      connection.takeOutput();
    }
  }
  outputs.forEach((parts, index) => assert.deepEqual(Buffer.concat(parts), copies[index]));
});
