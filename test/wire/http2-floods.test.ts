/** Guards: each flood ends its connection with ENHANCE_YOUR_CALM and is counted; honest peers never meet one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_CANCEL, H2_ENHANCE_YOUR_CALM } from '../../src/net/http2/index.js';
import { GUARDS, MAX_CONTINUATIONS, MAX_PENDING_ANSWER_BYTES } from '../../src/net/http2/flood-guard.js';
import type { Guard } from '../../src/net/http2/flood-guard.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, settingsFrame, u32 } from '../support/peer.js';

const PING = frame('PING', 0, 0, Buffer.alloc(8));

interface Flood {
  readonly guard: Guard;
  readonly repeat: (peer: ScriptedPeer, index: number) => Buffer;
}

const FLOODS: Record<string, Flood> = {
  'streams opened and reset at once': {
    guard: GUARDS.rapidReset,
    repeat: (peer, index) =>
      Buffer.concat([
        peer.headers(index * 2 + 3, REQUEST, false),
        frame('RST_STREAM', 0, index * 2 + 3, u32(H2_CANCEL)),
      ]),
  },
  'resets provoked by stream errors': {
    guard: GUARDS.provokedReset,
    repeat: (peer, index) => peer.headers(index * 2 + 3, ['x', 'malformed'], true),
  },
  SETTINGS: { guard: GUARDS.settings, repeat: () => settingsFrame() },
  PING: { guard: GUARDS.ping, repeat: () => PING },
  'PING acknowledgements': { guard: GUARDS.ping, repeat: () => frame('PING', 1, 0, Buffer.alloc(8)) },
  'SETTINGS acknowledgements': { guard: GUARDS.settings, repeat: () => frame('SETTINGS', 1, 0) },
  'empty DATA': { guard: GUARDS.emptyData, repeat: () => frame('DATA', 0, 1) },
  'DATA of padding only': { guard: GUARDS.emptyData, repeat: () => frame('DATA', 8, 1, Buffer.from([1, 0])) },
  WINDOW_UPDATE: { guard: GUARDS.windowUpdate, repeat: () => frame('WINDOW_UPDATE', 0, 1, u32(1)) },
  PRIORITY: { guard: GUARDS.priority, repeat: () => frame('PRIORITY', 0, 1, Buffer.alloc(5)) },
  GOAWAY: { guard: GUARDS.goAway, repeat: () => frame('GOAWAY', 0, 0, u32(0, 0)) },
  'frames of unknown types': { guard: GUARDS.unknown, repeat: () => frame(0xee, 0, 0) },
};

for (const [name, { guard, repeat }] of Object.entries(FLOODS)) {
  describe(`a flood of ${name}`, () => {
    test('is cut off at its limit', () => {
      const peer = new ScriptedPeer('server').handshake();
      peer.nowMs = 5000;
      peer.send(peer.headers(1, REQUEST, false));
      for (let index = 0; index < guard.perSecond; index++) peer.send(repeat(peer, index));
      assert.equal(peer.engine.isClosed, false);
      peer.send(repeat(peer, guard.perSecond));
      const last = peer.frames().at(-1);
      assert.equal(last?.name, 'GOAWAY');
      assert.equal(last.payload.readUInt32BE(4), H2_ENHANCE_YOUR_CALM);
      assert.equal(peer.engine.counters.guardTrips.get(guard.name), 1);
      assert.match(peer.engine.closeReason, new RegExp(guard.name));
    });

    test('spread over time is none', () => {
      const peer = new ScriptedPeer('server').handshake();
      peer.send(peer.headers(1, REQUEST, false));
      for (let index = 0; index < guard.perSecond * 2; index++) {
        peer.nowMs = index * ((1000 / guard.perSecond) * 1.1);
        peer.send(repeat(peer, index));
        peer.frames();
      }
      assert.equal(peer.engine.isClosed, false);
    });
  });
}

test('a server that refuses stream after stream is no flood to a client', () => {
  const peer = new ScriptedPeer('client').handshake();
  for (let count = 0; count < GUARDS.rapidReset.perSecond * 2; count++) {
    peer.send(frame('RST_STREAM', 0, peer.open().id, u32(H2_CANCEL)));
  }
  assert.equal(peer.engine.isClosed, false);
});

test('callers that reset their streams because these have been answered are no flood', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.nowMs = 5000;
  for (let count = 0; count < GUARDS.rapidReset.perSecond * 2; count++) {
    const id = count * 2 + 1;
    peer.send(peer.headers(id, REQUEST, false));
    peer.streams.get(id)!.sendHeaders(RESPONSE, true);
    peer.send(frame('RST_STREAM', 0, id, u32(H2_CANCEL)));
  }
  assert.equal(peer.engine.isClosed, false);
});

test('pings and credit in step with the data they belong to are no flood', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.nowMs = 5000;
  peer.send(peer.headers(1, REQUEST, false));
  for (let index = 0; index < GUARDS.windowUpdate.perSecond; index++) {
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1)), PING, frame('WINDOW_UPDATE', 0, 1, u32(1)));
    peer.send(frame('WINDOW_UPDATE', 0, 0, u32(1)), frame('WINDOW_UPDATE', 0, 0, u32(1)));
    peer.frames();
  }
  assert.equal(peer.engine.isClosed, false);
});

describe('header blocks without end', () => {
  test('of empty CONTINUATION frames are cut off', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(frame('HEADERS', 0, 1));
    for (let index = 0; index < MAX_CONTINUATIONS; index++) peer.send(frame('CONTINUATION', 0, 1));
    assert.equal(peer.engine.isClosed, false);
    peer.send(frame('CONTINUATION', 0, 1));
    assert.equal(peer.engine.counters.guardTrips.get(GUARDS.continuation.name), 1);
  });

  test('of many bytes are cut off before they are kept', () => {
    const peer = new ScriptedPeer('server', { settings: { maxHeaderListBytes: 8192 } }).handshake();
    peer.send(frame('HEADERS', 0, 1, Buffer.alloc(16384)), frame('CONTINUATION', 0, 1, Buffer.alloc(16384)));
    assert.equal(peer.engine.isClosed, false);
    peer.send(frame('CONTINUATION', 0, 1, Buffer.alloc(1)));
    assert.equal(peer.engine.counters.guardTrips.get(GUARDS.headerBlock.name), 1);
  });
});

test('a peer that asks and never reads is cut off before its answers fill the memory', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.engine.setWritable(false);
  const perSecond = GUARDS.ping.perSecond;
  for (let sent = 0; !peer.engine.isClosed && sent < 1e6; sent += perSecond) {
    peer.nowMs += 1000;
    for (let index = 0; index < perSecond; index++) peer.send(PING);
  }
  assert.equal(peer.engine.counters.guardTrips.get(GUARDS.pendingAnswers.name), 1);
  assert.ok(peer.engine.pendingOutputBytes < MAX_PENDING_ANSWER_BYTES + 100);
});

test('connections of one listener share their counters', () => {
  const peer = new ScriptedPeer('server').handshake();
  assert.equal(peer.engine.counters.streamErrors.size, 0);
  peer.send(peer.headers(1, ['x', 'malformed'], true), peer.headers(3, ['x', 'malformed'], true));
  assert.deepEqual([...peer.engine.counters.streamErrors], [[1, 2]]);
});
