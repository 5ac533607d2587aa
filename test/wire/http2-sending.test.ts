/** What leaves the engine: frames shared by messages, streams in turn, control before data, and the ends of streams. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_CANCEL, H2_NO_ERROR } from '../../src/net/http2/index.js';
import { takeOutput } from '../support/engine.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, u32 } from '../support/peer.js';

const INITIAL_WINDOW = 4;
const WIDE: [number, number] = [INITIAL_WINDOW, 1 << 24];
const LOW_MARK = 64 << 10;

function wideClient(): ScriptedPeer {
  const peer = new ScriptedPeer('client').handshake(WIDE);
  peer.send(frame('WINDOW_UPDATE', 0, 0, u32(1 << 28)));
  return peer;
}

test('messages of one turn share frames, and the request leaves with them', () => {
  const peer = wideClient();
  const stream = peer.open();
  for (let index = 0; index < 100; index++) stream.sendData([Buffer.alloc(5), Buffer.alloc(295)], 300, false);
  assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 16384', `DATA 1 ${30_000 - 16384}`]);
});

test('the host is asked once for all output of a turn', () => {
  const peer = wideClient();
  const before = peer.outputSignals;
  const stream = peer.open();
  stream.sendData([Buffer.alloc(5)], 5, false);
  peer.engine.ping(() => undefined);
  peer.open();
  assert.equal(peer.outputSignals, before + 1);
  peer.frames();
  stream.sendData([Buffer.alloc(5)], 5, false);
  assert.equal(peer.outputSignals, before + 2);
});

test('what does not fit the room for one take leaves with the next', () => {
  const peer = wideClient();
  const stream = peer.open();
  peer.frames();
  stream.sendData([Buffer.alloc(10_000, 1), Buffer.alloc(10_000, 2)], 20_000, true);
  const before = peer.outputSignals;
  const first = takeOutput(peer.engine, 12_000);
  assert.equal(first.length, 12_000);
  assert.equal(peer.outputSignals, before + 1);
  assert.deepEqual(first.subarray(9), Buffer.concat([Buffer.alloc(10_000, 1), Buffer.alloc(1991, 2)]));
  const second = takeOutput(peer.engine, 12_000);
  assert.deepEqual(second.subarray(9), Buffer.alloc(8009, 2));
  assert.equal(peer.outputSignals, before + 1);
});

test('control frames are taken whole, however little room there is', () => {
  const peer = wideClient();
  peer.frames();
  for (let count = 0; count < 10; count++) peer.engine.ping(() => undefined);
  const stream = peer.open();
  stream.sendData([Buffer.alloc(100)], 100, true);
  const taken = takeOutput(peer.engine, 50);
  assert.ok(taken.length > 10 * 17);
  assert.equal(stream.unsentBytes, 100);
  assert.equal(takeOutput(peer.engine).length, 9 + 100);
});

test('streams with data take turns, a frame each', () => {
  const peer = wideClient();
  const first = peer.open();
  const second = peer.open();
  first.sendData([Buffer.alloc(40_000)], 40_000, true);
  second.sendData([Buffer.alloc(20_000)], 20_000, true);
  assert.deepEqual(peer.answers().slice(2), [
    'DATA 1 16384',
    'DATA 3 16384',
    'DATA 1 16384',
    'DATA 3 3616 end',
    'DATA 1 7232 end',
  ]);
});

test('a stream without credit does not hold up the others', () => {
  const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 0]);
  const blocked = peer.open();
  const free = peer.open();
  blocked.sendData([Buffer.alloc(10)], 10, true);
  free.sendData([Buffer.alloc(10)], 10, true);
  peer.frames();
  peer.send(frame('WINDOW_UPDATE', 0, 3, u32(10)));
  assert.deepEqual(peer.answers(), ['DATA 3 10 end']);
});

describe('a full socket', () => {
  test('holds DATA back and lets control frames go', () => {
    const peer = wideClient();
    const stream = peer.open();
    peer.frames();
    peer.engine.setWritable(false);
    const signals = peer.outputSignals;
    stream.sendData([Buffer.alloc(100)], 100, false);
    assert.equal(peer.outputSignals, signals);
    peer.send(frame('PING', 0, 0, Buffer.alloc(8)));
    assert.equal(peer.engine.pendingOutputBytes, 17);
    assert.deepEqual(peer.answers(), ['PING 0 ack']);
    assert.equal(stream.unsentBytes, 100);
    peer.engine.setWritable(true);
    assert.equal(peer.outputSignals, signals + 2);
    assert.deepEqual(peer.answers(), ['DATA 1 100']);
  });

  test('that drains with nothing to send asks for nothing', () => {
    const peer = wideClient();
    peer.frames();
    peer.engine.setWritable(false);
    const signals = peer.outputSignals;
    peer.engine.setWritable(true);
    assert.equal(peer.outputSignals, signals);
  });
});

describe('the low mark', () => {
  test('is told once the queue fell to it', () => {
    const peer = new ScriptedPeer('client').handshake([INITIAL_WINDOW, 1]);
    const stream = peer.open();
    stream.sendData([Buffer.alloc(LOW_MARK + 10)], LOW_MARK + 10, false);
    peer.frames();
    assert.equal(peer.eventsOf('drain').length, 0);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(9)));
    peer.frames();
    assert.equal(peer.eventsOf('drain').length, 1);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(100)));
    peer.frames();
    assert.equal(peer.eventsOf('drain').length, 1);
  });

  test('may be answered by more data, which leaves in the same take', () => {
    let rest = 3;
    const peer = new ScriptedPeer('client', {
      onEvent: (event, stream) => {
        if (event.kind === 'drain' && rest-- > 0)
          stream!.sendData([Buffer.alloc(LOW_MARK * 2)], LOW_MARK * 2, rest === 0);
      },
    }).handshake(WIDE);
    peer.send(frame('WINDOW_UPDATE', 0, 0, u32(1 << 28)));
    const stream = peer.open();
    stream.sendData([Buffer.alloc(LOW_MARK * 2)], LOW_MARK * 2, false);
    const sent = peer.frames().filter((seen) => seen.name === 'DATA');
    assert.equal(
      sent.reduce((sum, seen) => sum + seen.payload.length, 0),
      LOW_MARK * 8,
    );
    assert.equal(sent.at(-1)?.flags, 1);
  });
});

describe('the end of our side', () => {
  test('leaves with the last bytes', () => {
    const peer = wideClient();
    const stream = peer.open();
    stream.sendData([Buffer.from('x')], 1, false);
    stream.sendData([], 0, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 1 end']);
    stream.sendData([Buffer.from('y')], 1, false);
    stream.sendHeaders(['a', 'b'], true);
    assert.deepEqual(peer.answers(), []);
  });

  test('as trailers leaves behind what is queued', () => {
    const peer = new ScriptedPeer('server').handshake([INITIAL_WINDOW, 3]);
    peer.send(peer.headers(1, REQUEST, true));
    const stream = peer.streams.get(1)!;
    stream.sendHeaders(RESPONSE, false);
    stream.sendData([Buffer.from('hello')], 5, false);
    stream.sendHeaders(['grpc-status', '0'], true);
    assert.equal(stream.isClosed, true);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'DATA 1 3']);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(2)));
    assert.deepEqual(peer.answers(), ['DATA 1 2', 'HEADERS 1 end']);
    assert.equal(peer.engine.openStreams, 0);
  });

  test('with reset(NO_ERROR) ends the request too, behind what is queued', () => {
    const peer = new ScriptedPeer('server').handshake([INITIAL_WINDOW, 3]);
    peer.send(peer.headers(1, REQUEST, false));
    const stream = peer.streams.get(1)!;
    stream.sendHeaders(RESPONSE, false);
    stream.sendData([Buffer.from('hello')], 5, false);
    stream.sendHeaders(['grpc-status', '0'], true);
    stream.reset(H2_NO_ERROR);
    peer.frames();
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(2)));
    assert.deepEqual(peer.answers(), ['DATA 1 2', 'HEADERS 1 end', `RST_STREAM 1 code ${H2_NO_ERROR}`]);
    assert.equal(peer.engine.openStreams, 0);
  });

  test('with reset(NO_ERROR) and nothing queued ends the request at once', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false));
    const stream = peer.streams.get(1)!;
    stream.sendHeaders(RESPONSE, true);
    stream.reset(H2_NO_ERROR);
    assert.deepEqual(peer.answers(), ['HEADERS 1 end', `RST_STREAM 1 code ${H2_NO_ERROR}`]);
  });

  test('any other reset drops what is queued', () => {
    const peer = wideClient();
    const stream = peer.open();
    const other = peer.open();
    stream.sendData([Buffer.alloc(50_000)], 50_000, true);
    other.sendData([Buffer.alloc(10)], 10, true);
    stream.reset(H2_CANCEL);
    assert.equal(stream.unsentBytes, 0);
    assert.deepEqual(peer.answers(), ['HEADERS 1', 'HEADERS 3', `RST_STREAM 1 code ${H2_CANCEL}`, 'DATA 3 10 end']);
  });
});

test('a stream taken out of the middle of the turn order leaves its neighbours in it', () => {
  const peer = wideClient();
  const streams = [peer.open(), peer.open(), peer.open(), peer.open()];
  for (const stream of streams) stream.sendData([Buffer.alloc(10)], 10, true);
  streams[1]!.reset(H2_CANCEL);
  streams[3]!.reset(H2_CANCEL);
  assert.deepEqual(peer.answers().slice(-2), ['DATA 1 10 end', 'DATA 5 10 end']);
});
