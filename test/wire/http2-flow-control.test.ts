/** Windows, both levels and both ways. @source RFC 9113 §5.2, §6.9. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_CANCEL, H2_FLOW_CONTROL_ERROR, H2_PROTOCOL_ERROR } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, testSplits, u32 } from '../support/peer.js';

const INITIAL_WINDOW = 4;
const MAX_WINDOW = 0x7fffffff;

describe('what we receive', () => {
  testSplits('above a stream window resets the stream', (split) => {
    const peer = new ScriptedPeer('server', { split, settings: { streamWindowBytes: 100 } }).handshake();
    peer.send(
      peer.headers(1, REQUEST, false),
      frame('DATA', 0, 1, Buffer.alloc(60)),
      frame('DATA', 0, 1, Buffer.alloc(41)),
    );
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_FLOW_CONTROL_ERROR}`]);
    assert.equal(peer.dataOf(1).length, 60);
  });

  testSplits('above the connection window ends the connection', (split) => {
    const settings = { streamWindowBytes: 1 << 20, connectionWindowBytes: 0 };
    const peer = new ScriptedPeer('server', { split, settings }).handshake();
    peer.send(peer.headers(1, REQUEST, false));
    for (let sent = 0; sent < 32_000; sent += 16_000) peer.send(frame('DATA', 0, 1, Buffer.alloc(16_000)));
    assert.deepEqual(peer.answers(), []);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1000)));
    assert.deepEqual(peer.answers(), ['WINDOW_UPDATE 0 33000'], 'half of the window is owed');
  });

  test('uses the connection window up only if it is not returned', () => {
    const peer = new ScriptedPeer('server', {
      settings: { connectionWindowBytes: 65535, maxFrameBytes: 1 << 20, streamWindowBytes: 1 << 20 },
    }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 0, 1, Buffer.alloc(65536)));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_FLOW_CONTROL_ERROR}`]);
  });

  testSplits('is credited to the stream when its receiver says so, by halves of the window', (split) => {
    const peer = new ScriptedPeer('server', { split, settings: { streamWindowBytes: 1000 } }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 0, 1, Buffer.alloc(900)));
    const stream = peer.streams.get(1)!;
    stream.returnCredit(499);
    assert.deepEqual(peer.answers(), []);
    stream.returnCredit(1);
    assert.deepEqual(peer.answers(), ['WINDOW_UPDATE 1 500']);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(600)));
    assert.equal(peer.dataOf(1).length, 1500);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_FLOW_CONTROL_ERROR}`]);
  });

  test('is not credited to a stream that gets no more', () => {
    const peer = new ScriptedPeer('server', { settings: { streamWindowBytes: 1000 } }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1, Buffer.alloc(900)));
    peer.streams.get(1)!.returnCredit(900);
    assert.deepEqual(peer.answers(), []);
  });

  test('is credited to the connection on receipt, also for streams that are gone', () => {
    const settings = { connectionWindowBytes: 65535 };
    const half = 32768;
    const peer = new ScriptedPeer('server', { settings }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 0, 1, Buffer.alloc(16000)));
    peer.streams.get(1)!.reset(H2_CANCEL);
    peer.send(frame('DATA', 8, 1, Buffer.alloc(16000)), frame('DATA', 0, 1, Buffer.alloc(768)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_CANCEL}`, `WINDOW_UPDATE 0 ${half}`]);
  });
});

describe('what we send', () => {
  test('waits for the stream window, piece by piece', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 10]);
    const stream = peer.open();
    stream.sendData([Buffer.from('hello '), Buffer.from('wide '), Buffer.from('world')], 16, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 10']);
    assert.equal(stream.unsentBytes, 6);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(2)));
    assert.deepEqual(peer.answers(), ['DATA 1 2']);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(100)));
    assert.deepEqual(peer.answers(), ['DATA 1 4 end']);
    const payload = peer.sent.toString('latin1');
    assert.ok(payload.includes('hello wide'));
  });

  test('waits for the connection window', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 1 << 20]);
    const stream = peer.open();
    stream.sendData([Buffer.alloc(70_000)], 70_000, true);
    const sent = peer.frames().filter((seen) => seen.name === 'DATA');
    assert.equal(
      sent.reduce((sum, seen) => sum + seen.payload.length, 0),
      65535,
    );
    const signals = peer.outputSignals;
    peer.send(frame('WINDOW_UPDATE', 0, 0, u32(10_000)));
    assert.equal(peer.outputSignals, signals + 1);
    assert.deepEqual(peer.answers(), ['DATA 1 4465 end']);
  });

  test('without a body needs no window', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 0]);
    peer.open().sendData([], 0, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 0 end']);
  });
});

describe('WINDOW_UPDATE', () => {
  for (const [name, streamId, answer] of [
    ['the connection', 0, 'GOAWAY 0 last 1 code'],
    ['a stream', 1, 'RST_STREAM 1 code'],
  ] as const) {
    testSplits(`of 0 breaks ${name}`, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), frame('WINDOW_UPDATE', 0, streamId, u32(0)));
      assert.deepEqual(peer.answers(), [`${answer} ${H2_PROTOCOL_ERROR}`]);
    });

    testSplits(`above 31 bits in sum breaks ${name}`, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), frame('WINDOW_UPDATE', 0, streamId, u32(MAX_WINDOW - 65535)));
      assert.deepEqual(peer.answers(), []);
      peer.send(frame('WINDOW_UPDATE', 0, streamId, u32(1)));
      assert.deepEqual(peer.answers(), [`${answer} ${H2_FLOW_CONTROL_ERROR}`]);
    });
  }

  test('has a reserved bit, which is ignored', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 0]);
    peer.open().sendData([Buffer.from('x')], 1, false);
    peer.frames();
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(0x80000001)));
    assert.deepEqual(peer.answers(), ['DATA 1 1']);
  });
});
