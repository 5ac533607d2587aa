/** The scripted peer itself: what it builds, cuts and reads. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { frame, REQUEST, RESPONSE, ScriptedPeer, settingsFrame, testSplits, u32 } from '../support/peer.js';

test('a frame has its length, type, flags and stream in front', () => {
  assert.equal(frame('DATA', 1, 5, Buffer.from('ab')).toString('hex'), '000002000100000005' + '6162');
  assert.equal(frame(0xab, 0, 0x7fffffff).toString('hex'), '000000ab007fffffff');
});

test('a frame may lie about its length', () => {
  assert.equal(frame('PING', 0, 0, Buffer.alloc(1), 8).subarray(0, 3).toString('hex'), '000008');
});

test('numbers are big-endian, settings are pairs', () => {
  assert.equal(u32(1, 0xffffffff).toString('hex'), '00000001ffffffff');
  assert.equal(settingsFrame([3, 100], [4, 1]).subarray(9).toString('hex'), '000300000064000400000001');
});

describe('each split gives the engine the same bytes', () => {
  testSplits('in other chunks', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1, Buffer.alloc(100, 7)));
    const pieces = peer.eventsOf('data', 1);
    assert.deepEqual(peer.dataOf(1), Buffer.alloc(100, 7));
    assert.equal(pieces.length === 1, split === 'whole');
    assert.equal(pieces.length === 100, split === 'bytes');
  });
});

test('the answers of the engine are read as frames, each once', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.send(peer.headers(1, REQUEST, true));
  const stream = peer.streams.get(1)!;
  stream.sendHeaders(RESPONSE, false);
  stream.sendData([Buffer.from('x')], 1, true);
  const [headers, data] = peer.frames();
  assert.deepEqual(peer.fieldsOf(headers!), RESPONSE);
  assert.equal(data?.payload.toString(), 'x');
  assert.deepEqual(peer.answers(), []);
});
