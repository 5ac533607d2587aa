/** Frames by themselves: sizes, streams they belong on, and types that mean nothing to us. @source RFC 9113 §4, §6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_ENHANCE_YOUR_CALM, H2_FRAME_SIZE_ERROR, H2_PROTOCOL_ERROR } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, settingsFrame, testSplits, u32 } from '../support/peer.js';
import type { FrameName } from '../support/peer.js';

const MAX_FRAME = 16384;

describe('a frame of a wrong size ends the connection with FRAME_SIZE_ERROR', () => {
  const cases: [string, Buffer][] = [
    ['above our MAX_FRAME_SIZE', frame('DATA', 0, 1, Buffer.alloc(MAX_FRAME + 1))],
    ['SETTINGS not of whole parameters', frame('SETTINGS', 0, 0, Buffer.alloc(5))],
    ['SETTINGS acknowledgement with payload', frame('SETTINGS', 1, 0, Buffer.alloc(6))],
    ['PING', frame('PING', 0, 0, Buffer.alloc(7))],
    ['GOAWAY', frame('GOAWAY', 0, 0, Buffer.alloc(7))],
    ['RST_STREAM', frame('RST_STREAM', 0, 1, Buffer.alloc(5))],
    ['WINDOW_UPDATE', frame('WINDOW_UPDATE', 0, 0, Buffer.alloc(3))],
    ['PRIORITY on an idle stream', frame('PRIORITY', 0, 9, Buffer.alloc(4))],
  ];
  for (const [name, bytes] of cases) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), bytes);
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_FRAME_SIZE_ERROR}`]);
      assert.equal(peer.engine.counters.connectionErrors.get(H2_FRAME_SIZE_ERROR), 1);
    });
  }
});

describe('a frame on a wrong stream ends the connection with PROTOCOL_ERROR', () => {
  const cases: [string, FrameName, number, Buffer][] = [
    ['DATA on the connection', 'DATA', 0, Buffer.alloc(1)],
    ['HEADERS on the connection', 'HEADERS', 0, Buffer.from([0x82])],
    ['PRIORITY on the connection', 'PRIORITY', 0, Buffer.alloc(5)],
    ['RST_STREAM on the connection', 'RST_STREAM', 0, Buffer.alloc(4)],
    ['SETTINGS on a stream', 'SETTINGS', 1, Buffer.alloc(0)],
    ['PING on a stream', 'PING', 1, Buffer.alloc(8)],
    ['GOAWAY on a stream', 'GOAWAY', 1, Buffer.alloc(8)],
    ['CONTINUATION without HEADERS', 'CONTINUATION', 1, Buffer.alloc(1)],
    ['PUSH_PROMISE', 'PUSH_PROMISE', 1, Buffer.alloc(4)],
  ];
  for (const [name, type, streamId, payload] of cases) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), frame(type, 4, streamId, payload));
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_PROTOCOL_ERROR}`]);
    });
  }
});

testSplits('PRIORITY of a wrong size resets its stream only', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, false), frame('PRIORITY', 0, 1, Buffer.alloc(4)));
  peer.send(frame('PING', 0, 0, Buffer.alloc(8)));
  assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_FRAME_SIZE_ERROR}`, 'PING 0 ack']);
});

testSplits('unknown frame types and PRIORITY are passed over', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(
    frame(0x40, 0xff, 0, Buffer.alloc(100)),
    frame(0x41, 0, 7),
    frame('PRIORITY', 0, 5, u32(3, 0).subarray(0, 5)),
    peer.headers(1, REQUEST, true),
  );
  assert.deepEqual(peer.kinds(), ['stream']);
  assert.deepEqual(peer.answers(), []);
});

testSplits('a PING is answered with its own bytes', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(frame('PING', 0, 0, Buffer.from('12345678')));
  const [ping] = peer.frames();
  assert.equal(ping?.flags, 1);
  assert.equal(ping.payload.toString(), '12345678');
});

testSplits('our PING calls back when its own answer comes, and only once', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  let acks = 0;
  peer.engine.ping(() => acks++);
  const [ping] = peer.frames();
  peer.send(frame('PING', 1, 0, Buffer.from('not ours')));
  assert.equal(acks, 0);
  peer.send(frame('PING', 1, 0, ping!.payload), frame('PING', 1, 0, ping!.payload));
  assert.equal(acks, 1);
});

testSplits('the reserved bit of a stream id is ignored', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  const headers = peer.headers(1, REQUEST, true);
  headers[5]! |= 0x80;
  peer.send(headers);
  assert.equal(peer.eventsOf('stream')[0]?.streamId, 1);
});

describe('padding', () => {
  testSplits('is taken off, and its credit returned to the stream', (split) => {
    const peer = new ScriptedPeer('server', { split, settings: { streamWindowBytes: 400 } }).handshake();
    peer.send(peer.headers(1, REQUEST, false));
    peer.send(frame('DATA', 8, 1, Buffer.concat([Buffer.from([250]), Buffer.from('hello'), Buffer.alloc(250)])));
    assert.equal(peer.dataOf(1).toString(), 'hello');
    assert.deepEqual(peer.answers(), ['WINDOW_UPDATE 1 251']);
  });

  testSplits('of a last frame ends the stream behind it', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 9, 1, Buffer.from([2, 0x61, 0, 0])));
    assert.equal(peer.dataOf(1).toString(), 'a');
    assert.equal(peer.eventsOf('data').at(-1)?.isEnd, true);
  });

  testSplits('alone is an empty frame', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 9, 1, Buffer.from([3, 0, 0, 0])));
    assert.deepEqual(
      peer.eventsOf('data').map((event) => [event.bytes.length, event.isEnd]),
      [[0, true]],
    );
  });

  testSplits('of zero bytes is allowed', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 9, 1, Buffer.from([0])));
    assert.equal(peer.eventsOf('data').at(-1)?.isEnd, true);
  });

  const tooLong: [string, Buffer][] = [
    ['DATA', frame('DATA', 8, 1, Buffer.from([3, 0, 0]))],
    ['DATA without even a length', frame('DATA', 8, 1)],
    ['HEADERS', frame('HEADERS', 0xc, 3, Buffer.from([3, 0x82, 0x82]))],
    ['HEADERS without even a length', frame('HEADERS', 0xc, 3)],
    ['HEADERS too short for its priority', frame('HEADERS', 0x24, 3, Buffer.alloc(4))],
  ];
  for (const [name, bytes] of tooLong) {
    testSplits(`longer than its frame ends the connection: ${name}`, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), bytes);
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_PROTOCOL_ERROR}`]);
    });
  }
});

test('a padded HEADERS frame with priority is read', () => {
  const peer = new ScriptedPeer('server').handshake();
  const payload = Buffer.concat([Buffer.from([4]), u32(0), Buffer.from([16]), peer.block(REQUEST), Buffer.alloc(4)]);
  peer.send(frame('HEADERS', 0x2d, 1, payload));
  assert.deepEqual(peer.eventsOf('stream')[0]?.fields, REQUEST);
});

describe('a stream that depends on itself', () => {
  test('in HEADERS is reset', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(frame('HEADERS', 0x25, 1, Buffer.concat([u32(1), Buffer.from([0]), peer.block(REQUEST)])));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
  });

  test('in PRIORITY is reset', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('PRIORITY', 0, 1, u32(1, 0).subarray(0, 5)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
  });
});

testSplits('two frames in one chunk behind an error are not read', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(frame('PING', 0, 1, Buffer.alloc(8)), settingsFrame(), peer.headers(1, REQUEST, true));
  assert.deepEqual(peer.kinds(), ['finished']);
  assert.equal(peer.engine.counters.connectionErrors.get(H2_ENHANCE_YOUR_CALM), undefined);
});
