/** GOAWAY both ways. @source RFC 9113 §6.8. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CONNECTION_LOST,
  H2_ENHANCE_YOUR_CALM,
  H2_NO_ERROR,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
} from '../../src/net/http2/index.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, testSplits, u32 } from '../support/peer.js';

const LAST_POSSIBLE = 0x7fffffff;
const PEER_GOAWAY = (last: number, code = H2_NO_ERROR, debug = ''): Buffer =>
  frame('GOAWAY', 0, 0, Buffer.concat([u32(last, code), Buffer.from(debug)]));

describe('GOAWAY of a server', () => {
  testSplits('with a last id between streams in flight ends those above as unprocessed', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    for (let count = 0; count < 3; count++) peer.open();
    peer.frames();
    peer.send(PEER_GOAWAY(3, H2_NO_ERROR, 'too_many_pings'));
    const [goAway] = peer.eventsOf('goaway');
    assert.deepEqual([goAway?.code, goAway?.bytes.toString()], [3, 'too_many_pings']);
    assert.deepEqual(
      peer.eventsOf('reset').map((event) => [event.streamId, event.code, event.isUnprocessed]),
      [[5, H2_REFUSED_STREAM, true]],
    );
    assert.equal(peer.engine.openStreams, 2);
    assert.equal(peer.engine.freeStreams, 0);
    assert.throws(() => peer.open(), /no free stream/);
  });

  testSplits('lets the streams below finish, and then the connection', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.open(REQUEST, true);
    peer.send(PEER_GOAWAY(1));
    assert.equal(peer.engine.isClosed, false);
    peer.send(peer.headers(1, [...RESPONSE, 'grpc-status', '0'], true));
    assert.deepEqual(peer.kinds().slice(-3), ['headers', 'closed', 'finished']);
    assert.equal(peer.engine.closeReason, '');
  });

  testSplits('in two steps is obeyed at each', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.open();
    peer.open();
    peer.send(PEER_GOAWAY(LAST_POSSIBLE), PEER_GOAWAY(1));
    assert.deepEqual(
      peer.eventsOf('reset').map((event) => event.streamId),
      [3],
    );
    assert.equal(peer.eventsOf('goaway').length, 2);
  });

  testSplits('on an idle connection finishes it', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.send(PEER_GOAWAY(0));
    assert.deepEqual(peer.kinds(), ['goaway', 'finished']);
  });

  testSplits('must not raise the last id', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.open();
    peer.send(PEER_GOAWAY(1), PEER_GOAWAY(3));
    assert.deepEqual(peer.answers().at(-1), `GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`);
    assert.equal(peer.eventsOf('reset')[0]?.code, CONNECTION_LOST);
  });

  test('may come while a handler resets other streams', () => {
    const peer = new ScriptedPeer('client', {
      onEvent: (event) => {
        if (event.kind === 'reset') peer.streams.get(5)!.reset(8);
      },
    }).handshake();
    for (let count = 0; count < 3; count++) peer.open();
    peer.send(PEER_GOAWAY(1));
    assert.deepEqual(
      peer.eventsOf('reset').map((event) => event.streamId),
      [3],
    );
    assert.equal(peer.engine.openStreams, 1);
  });
});

testSplits('GOAWAY of a client lets its streams go on, and new ones come', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, false), PEER_GOAWAY(0), peer.headers(3, REQUEST, false));
  assert.deepEqual(peer.kinds(), ['stream', 'goaway', 'stream']);
});

describe('our GOAWAY as a server', () => {
  test('in two steps serves what the peer opened before it knew', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, true));
    peer.engine.drain();
    peer.engine.drain();
    const [first, ping] = peer.frames();
    assert.equal(first?.payload.readUInt32BE(0), LAST_POSSIBLE);
    peer.send(peer.headers(3, REQUEST, true), frame('PING', 1, 0, ping!.payload));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 3 code ${H2_NO_ERROR}`]);
    peer.send(
      peer.headers(5, REQUEST, false),
      frame('DATA', 1, 5, Buffer.alloc(10)),
      peer.headers(5, ['a', 'b'], true),
    );
    assert.deepEqual([...peer.streams.keys()], [1, 3]);
    peer.streams.get(1)!.sendHeaders(RESPONSE, true);
    assert.equal(peer.engine.isClosed, false);
    peer.streams.get(3)!.sendHeaders(RESPONSE, true);
    assert.deepEqual(peer.kinds().slice(-1), ['finished']);
    assert.deepEqual(peer.answers(), ['HEADERS 1 end', 'HEADERS 3 end']);
  });

  test('on an idle connection finishes it as soon as the PING came back', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.engine.drain();
    const [, ping] = peer.frames();
    assert.equal(peer.engine.isClosed, false);
    peer.send(frame('PING', 1, 0, ping!.payload));
    assert.deepEqual(peer.kinds(), ['finished']);
  });

  test('at once refuses streams above the last one', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false));
    peer.engine.goAway(H2_NO_ERROR);
    peer.send(peer.headers(3, REQUEST, true));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_NO_ERROR}`]);
    assert.deepEqual([...peer.streams.keys()], [1]);
  });

  test('with an error says why, and ends all', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false));
    peer.engine.goAway(H2_ENHANCE_YOUR_CALM, undefined, 'too_many_pings');
    const [goAway] = peer.frames();
    assert.equal(goAway?.payload.subarray(8).toString(), 'too_many_pings');
    assert.deepEqual(peer.kinds(), ['stream', 'reset', 'closed', 'finished']);
    assert.equal(peer.engine.closeReason, 'too_many_pings');
    peer.engine.goAway(H2_NO_ERROR);
    peer.engine.drain();
    peer.engine.ping(() => undefined);
    assert.deepEqual(peer.answers(), []);
  });

  test('names the code when no reason is given, and cuts long ones', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.engine.goAway(H2_ENHANCE_YOUR_CALM);
    assert.equal(peer.engine.closeReason, 'ENHANCE_YOUR_CALM');
    const other = new ScriptedPeer('server').handshake();
    other.engine.goAway(H2_ENHANCE_YOUR_CALM, 0, 'x'.repeat(10_000));
    assert.ok(other.frames()[0]!.payload.length < 1000);
  });
});

describe('draining as a client', () => {
  test('opens nothing more, and finishes with the last stream', () => {
    const peer = new ScriptedPeer('client').handshake();
    peer.open(REQUEST, true);
    peer.frames();
    peer.engine.drain();
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_NO_ERROR}`]);
    assert.equal(peer.engine.freeStreams, 0);
    peer.send(peer.headers(1, RESPONSE, true));
    assert.deepEqual(peer.kinds(), ['headers', 'closed', 'finished']);
  });

  test('without streams finishes at once', () => {
    const peer = new ScriptedPeer('client').handshake();
    peer.engine.drain();
    assert.deepEqual(peer.kinds(), ['finished']);
  });
});
