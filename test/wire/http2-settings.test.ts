/** SETTINGS at any time, both ways. @source RFC 9113 §6.5. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CLIENT_PREFACE,
  H2_CANCEL,
  H2_FLOW_CONTROL_ERROR,
  H2_FRAME_SIZE_ERROR,
  H2_PROTOCOL_ERROR,
} from '../../src/net/http2/index.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, settingsFrame, testSplits, u32 } from '../support/peer.js';

const TABLE_SIZE = 1;
const ENABLE_PUSH = 2;
const MAX_STREAMS = 3;
const INITIAL_WINDOW = 4;
const MAX_FRAME = 5;
const LIST_SIZE = 6;

describe('a value out of range ends the connection', () => {
  for (const [name, role, id, value, code] of [
    ['ENABLE_PUSH of 2', 'server', ENABLE_PUSH, 2, H2_PROTOCOL_ERROR],
    ['ENABLE_PUSH from a server', 'client', ENABLE_PUSH, 1, H2_PROTOCOL_ERROR],
    ['INITIAL_WINDOW_SIZE above 31 bits', 'server', INITIAL_WINDOW, 0x80000000, H2_FLOW_CONTROL_ERROR],
    ['MAX_FRAME_SIZE below 16384', 'server', MAX_FRAME, 16383, H2_PROTOCOL_ERROR],
    ['MAX_FRAME_SIZE above 24 bits', 'server', MAX_FRAME, 1 << 24, H2_PROTOCOL_ERROR],
  ] as const) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer(role, { split }).handshake();
      peer.send(settingsFrame([id, value]));
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${code}`]);
    });
  }
});

testSplits('unknown parameters and advice are ignored', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(settingsFrame([0x99, 7], [LIST_SIZE, 100], [ENABLE_PUSH, 1]));
  assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);
});

test('a parameter given twice counts as last given', () => {
  const peer = new ScriptedPeer('client').handshake([MAX_STREAMS, 1], [MAX_STREAMS, 7]);
  assert.equal(peer.engine.maxConcurrentStreams, 7);
});

describe('MAX_CONCURRENT_STREAMS of the peer', () => {
  test('unnamed is no limit', () => {
    const peer = new ScriptedPeer('client').handshake();
    assert.equal(peer.engine.maxConcurrentStreams, Infinity);
    assert.equal(peer.engine.freeStreams, Infinity);
  });

  test('of 0 opens nothing until it is raised', () => {
    const peer = new ScriptedPeer('client').handshake([MAX_STREAMS, 0]);
    assert.equal(peer.engine.freeStreams, 0);
    assert.throws(() => peer.open(), /no free stream/);
    peer.send(settingsFrame([MAX_STREAMS, 2]));
    assert.deepEqual(peer.kinds(), ['settings']);
    peer.open();
    peer.open();
    assert.equal(peer.engine.freeStreams, 0);
    assert.throws(() => peer.open(), /no free stream/);
  });

  test('below what is open leaves no slot, and frees one when enough have ended', () => {
    const peer = new ScriptedPeer('client').handshake([MAX_STREAMS, 4]);
    const streams = [peer.open(), peer.open(), peer.open()];
    peer.send(settingsFrame([MAX_STREAMS, 2]));
    assert.equal(peer.engine.freeStreams, 0);
    streams[0]!.reset(H2_CANCEL);
    assert.equal(peer.engine.freeStreams, 0);
    streams[1]!.reset(H2_CANCEL);
    assert.equal(peer.engine.freeStreams, 1);
  });
});

describe('INITIAL_WINDOW_SIZE of the peer', () => {
  test('lowered below what is in flight makes the window negative, which credit must fill first', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 1000]);
    const stream = peer.open();
    stream.sendData([Buffer.alloc(1500)], 1500, false);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 1000']);
    peer.send(settingsFrame([INITIAL_WINDOW, 200]), frame('WINDOW_UPDATE', 0, 1, u32(800)));
    assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(300)));
    assert.deepEqual(peer.answers(), ['DATA 1 300']);
    assert.equal(stream.unsentBytes, 200);
  });

  test('raised lets waiting streams go on', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 0]);
    const stream = peer.open();
    stream.sendData([Buffer.alloc(100)], 100, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1']);
    const signals = peer.outputSignals;
    peer.send(settingsFrame([INITIAL_WINDOW, 60]));
    assert.equal(peer.outputSignals, signals + 1);
    assert.deepEqual(peer.answers(), ['SETTINGS 0 ack', 'DATA 1 60']);
  });

  test('that overflows an open stream ends the connection', () => {
    const peer = new ScriptedPeer('client').handshake();
    peer.open();
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(0x7fffffff - 65535)));
    peer.frames();
    peer.send(settingsFrame([INITIAL_WINDOW, 65536]));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_FLOW_CONTROL_ERROR}`]);
  });
});

test('MAX_FRAME_SIZE of the peer sizes our frames, up to our own bound', () => {
  const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 1 << 20], [MAX_FRAME, 30_000]);
  peer.send(frame('WINDOW_UPDATE', 0, 0, u32(1 << 24)));
  const stream = peer.open();
  stream.sendData([Buffer.alloc(70_000)], 70_000, false);
  assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 30000', 'DATA 1 30000', 'DATA 1 10000']);
  peer.send(settingsFrame([MAX_FRAME, (1 << 24) - 1]));
  stream.sendData([Buffer.alloc(70_000)], 70_000, false);
  assert.deepEqual(peer.answers(), ['SETTINGS 0 ack', `DATA 1 ${64 << 10}`, `DATA 1 ${70_000 - (64 << 10)}`]);
});

test('HEADER_TABLE_SIZE of the peer is honoured from the next block on', () => {
  const peer = new ScriptedPeer('client').handshake([TABLE_SIZE, 0]);
  peer.open();
  const [headers] = peer.frames();
  assert.equal(headers?.payload[0], 0x20);
});

describe('our own settings', () => {
  test('of a server say how many streams it takes, those of a client do not', () => {
    const ids = (role: 'server' | 'client'): number[] => {
      const [settings] = new ScriptedPeer(role, {
        settings: { headerTableBytes: 100, maxFrameBytes: 20_000 },
      }).frames();
      const list: number[] = [];
      for (let at = 0; at < settings!.payload.length; at += 6) list.push(settings!.payload.readUInt16BE(at));
      return list;
    };
    assert.deepEqual(ids('server'), [TABLE_SIZE, MAX_STREAMS, INITIAL_WINDOW, MAX_FRAME, LIST_SIZE]);
    assert.deepEqual(ids('client'), [TABLE_SIZE, ENABLE_PUSH, INITIAL_WINDOW, MAX_FRAME, LIST_SIZE]);
  });

  testSplits('take effect when they are acknowledged: the frame size', (split) => {
    const peer = new ScriptedPeer('server', { split, settings: { maxFrameBytes: 20_000 } });
    peer.frames();
    peer.send(CLIENT_PREFACE, settingsFrame(), peer.headers(1, REQUEST, false), frame('SETTINGS', 1, 0));
    peer.send(frame('DATA', 0, 1, Buffer.alloc(20_000)));
    assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);

    const early = new ScriptedPeer('server', { split, settings: { maxFrameBytes: 20_000 } });
    early.frames();
    early.send(CLIENT_PREFACE, settingsFrame(), early.headers(1, REQUEST, false));
    early.send(frame('DATA', 0, 1, Buffer.alloc(20_000)));
    assert.deepEqual(early.answers().at(-1), `GOAWAY 0 last 1 code ${H2_FRAME_SIZE_ERROR}`);
  });

  test('take effect when they are acknowledged: the window of open streams', () => {
    const peer = new ScriptedPeer('server', { settings: { streamWindowBytes: 1000 } });
    peer.frames();
    peer.send(
      CLIENT_PREFACE,
      settingsFrame(),
      peer.headers(1, REQUEST, false),
      frame('DATA', 0, 1, Buffer.alloc(3000)),
    );
    assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);
    peer.send(frame('SETTINGS', 1, 0), peer.headers(3, REQUEST, false), frame('DATA', 0, 3, Buffer.alloc(1001)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 3 code ${H2_FLOW_CONTROL_ERROR}`]);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_FLOW_CONTROL_ERROR}`]);
  });

  test('a smaller header table binds the peer from its acknowledgement on', () => {
    const peer = new ScriptedPeer('server', { settings: { headerTableBytes: 0 } });
    peer.frames();
    peer.send(CLIENT_PREFACE, settingsFrame(), peer.headers(1, REQUEST, true), frame('SETTINGS', 1, 0));
    peer.send(peer.headers(3, REQUEST, true));
    assert.deepEqual(peer.answers(), ['SETTINGS 0 ack', 'GOAWAY 0 last 1 code 9']);
  });

  test('a second acknowledgement changes nothing', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('SETTINGS', 1, 0));
    peer.streams.get(1)!.sendHeaders(RESPONSE, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1 end']);
  });
});

test('a window of ours lowered while credit is owed returns that credit, so that the peer is not left waiting', () => {
  const peer = new ScriptedPeer('server', { settings: { streamWindowBytes: 100 } });
  peer.frames();
  peer.send(CLIENT_PREFACE, settingsFrame(), peer.headers(1, REQUEST, false), frame('DATA', 0, 1, Buffer.alloc(150)));
  peer.streams.get(1)!.returnCredit(150);
  assert.deepEqual(peer.answers(), ['SETTINGS 0 ack']);
  peer.send(frame('SETTINGS', 1, 0));
  assert.deepEqual(peer.answers(), ['WINDOW_UPDATE 1 150']);
});
