/** How a connection begins. @source RFC 9113 §3.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_PREFACE, DEFAULT_HTTP2_SETTINGS, H2_PROTOCOL_ERROR } from '../../src/net/http2/index.js';
import { frame, ScriptedPeer, settingsFrame, testSplits } from '../support/peer.js';

const EXTRA_WINDOW = DEFAULT_HTTP2_SETTINGS.connectionWindowBytes - 65535;

test('a server announces its settings and window before it has heard anything', () => {
  const peer = new ScriptedPeer('server');
  assert.deepEqual(peer.answers(), ['SETTINGS 0', `WINDOW_UPDATE 0 ${EXTRA_WINDOW}`]);
});

test('a client sends the preface, its settings and window', () => {
  const peer = new ScriptedPeer('client');
  const [settings, window] = peer.frames();
  assert.deepEqual(peer.sent.subarray(0, CLIENT_PREFACE.length), Buffer.from(CLIENT_PREFACE));
  assert.equal(settings?.name, 'SETTINGS');
  assert.ok(settings.payload.includes(Buffer.from([0, 2, 0, 0, 0, 0])), 'push is switched off');
  assert.equal(window?.name, 'WINDOW_UPDATE');
});

test('no more window is announced than the protocol starts with, if none is wanted', () => {
  const peer = new ScriptedPeer('server', { settings: { connectionWindowBytes: 65535 } });
  assert.deepEqual(peer.answers(), ['SETTINGS 0']);
});

testSplits('the peer is known once its SETTINGS came, which are acknowledged', (split) => {
  const peer = new ScriptedPeer('server', { split });
  peer.frames();
  peer.send(CLIENT_PREFACE);
  assert.equal(peer.engine.peerSettingsSeen, false);
  peer.send(settingsFrame());
  assert.equal(peer.engine.peerSettingsSeen, true);
  assert.deepEqual(peer.kinds(), ['settings']);
  assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);
});

testSplits('a wrong preface ends the connection', (split) => {
  const peer = new ScriptedPeer('server', { split });
  peer.frames();
  peer.send(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r!'), settingsFrame());
  assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  assert.deepEqual(peer.kinds(), ['finished']);
  assert.match(peer.engine.closeReason, /preface/);
  assert.equal(peer.engine.isClosed, true);
});

for (const role of ['server', 'client'] as const) {
  const first = role === 'server' ? CLIENT_PREFACE : Buffer.alloc(0);

  testSplits(`a ${role} refuses a first frame that is not SETTINGS`, (split) => {
    const peer = new ScriptedPeer(role, { split });
    peer.frames();
    peer.send(first, frame('PING', 0, 0, Buffer.alloc(8)), settingsFrame());
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  });

  testSplits(`a ${role} refuses an acknowledgement as first frame`, (split) => {
    const peer = new ScriptedPeer(role, { split });
    peer.frames();
    peer.send(first, frame('SETTINGS', 1, 0));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  });
}

test('nothing is read after the end', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.engine.abort('gone');
  peer.send(frame('PING', 0, 0, Buffer.alloc(8)));
  assert.deepEqual(peer.answers(), []);
  assert.deepEqual(peer.kinds(), []);
  assert.equal(peer.engine.closeReason, 'gone');
});
