import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_PREFACE } from '../../src/net/http2/index.js';
import { fuzz } from '../support/fuzzer.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, settingsFrame, u32, type Split } from '../support/peer.js';

const HANDSHAKE = [settingsFrame(), frame('SETTINGS', 1, 0)];

function examplesFor(role: 'server' | 'client'): Buffer[] {
  const peer = new ScriptedPeer(role);
  const headers = peer.headers(1, role === 'server' ? REQUEST : RESPONSE, false);
  const block = peer.block(['grpc-status', '0']);
  const greeting = role === 'server' ? [CLIENT_PREFACE, ...HANDSHAKE] : HANDSHAKE;
  const message = Buffer.from('\0\0\0\0\x03abc');
  const bodies = [
    [headers, frame('DATA', 0, 1, message), frame('DATA', 1, 1, message)],
    [headers, frame('HEADERS', 1, 1, block.subarray(0, 1)), frame('CONTINUATION', 4, 1, block.subarray(1))],
    [headers, frame('DATA', 8, 1, Buffer.from('\x04abcdef\0\0\0\0')), frame('RST_STREAM', 0, 1, u32(8))],
    [frame('PING', 0, 0, Buffer.alloc(8)), frame('WINDOW_UPDATE', 0, 0, u32(65_535)), frame('GOAWAY', 0, 0, u32(1, 0))],
    [settingsFrame([4, 1], [5, 16_384], [3, 0], [1, 0]), headers, frame('WINDOW_UPDATE', 0, 1, u32(1))],
    [frame('PRIORITY', 0, 3, Buffer.from('0000000110', 'hex')), frame('PUSH_PROMISE', 4, 1, u32(2)), frame(77, 1, 9)],
  ];
  return bodies.map((frames) => Buffer.concat([...greeting, ...frames]));
}

function outcome(role: 'server' | 'client', input: Uint8Array, split: Split): Record<string, unknown> {
  const peer = new ScriptedPeer(role, { split });
  if (role === 'client') peer.open();
  peer.send(input);
  const answers = peer.answers();
  const kinds = peer.kinds().filter((kind) => kind !== 'data');
  const data = [...peer.streams.keys()].map((id) => peer.dataOf(id).toString('hex'));
  peer.engine.receiveEnd();
  peer.frames();
  assert.equal(peer.eventsOf('finished').length, 1, 'finished once');
  assert.equal(peer.engine.openStreams, 0, 'no stream is left open');
  assert.equal(peer.eventsOf('closed').length, peer.streams.size, 'each stream closed once');
  return { answers, kinds, data };
}

for (const role of ['server', 'client'] as const) {
  test(`whatever a ${role} is sent, it answers, however the bytes are cut, and leaves nothing open`, () => {
    const report = fuzz({
      name: `http2-${role}`,
      examples: examplesFor(role),
      run: (input) => {
        const whole = outcome(role, input, 'whole');
        assert.deepEqual(outcome(role, input, 'random'), whole);
        if (input.length < 200) assert.deepEqual(outcome(role, input, 'bytes'), whole);
        return JSON.stringify([whole.answers, whole.kinds]);
      },
    });
    assert.ok(report.answers > 6, `${report.answers} answers`);
  });
}
