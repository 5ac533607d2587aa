/** The client role: responses, and requests that certainly did nothing. @source RFC 9113 §8.1, §8.7. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CONNECTION_LOST,
  H2_CANCEL,
  H2_NO_ERROR,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
  H2_STREAM_CLOSED,
} from '../../src/net/http2/index.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, testSplits, u32 } from '../support/peer.js';

testSplits('a call: headers, messages, trailers', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  const stream = peer.open();
  stream.sendData([Buffer.from('request')], 7, true);
  const frames = peer.frames();
  assert.deepEqual(peer.fieldsOf(frames[0]!), REQUEST);
  peer.send(peer.headers(1, RESPONSE, false), frame('DATA', 0, 1, Buffer.from('reply')));
  peer.send(peer.headers(1, ['grpc-status', '0'], true));
  const headers = peer.eventsOf('headers');
  assert.deepEqual(
    headers.map((event) => [event.fields, event.isEnd, event.isTrailers]),
    [
      [RESPONSE, false, false],
      [['grpc-status', '0'], true, true],
    ],
  );
  assert.equal(peer.dataOf(1).toString(), 'reply');
  assert.equal(peer.events.at(-1)?.kind, 'closed');
});

testSplits('a response of trailers only', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  peer.open(REQUEST, true);
  peer.send(peer.headers(1, [...RESPONSE, 'grpc-status', '14'], true));
  const [headers] = peer.eventsOf('headers');
  assert.deepEqual([headers?.isEnd, headers?.isTrailers], [true, false]);
  assert.equal(peer.engine.openStreams, 0);
});

testSplits('interim responses are passed over', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  peer.open(REQUEST, true);
  peer.send(peer.headers(1, [':status', '103', 'link', '</x>'], false), peer.headers(1, [':status', '100'], false));
  peer.send(peer.headers(1, RESPONSE, true));
  assert.deepEqual(peer.kinds(), ['headers', 'closed']);
});

describe('a malformed response is reset with PROTOCOL_ERROR', () => {
  const cases: Record<string, [string[], boolean]> = {
    'no status': [['content-type', 'x'], false],
    'a request field': [[...RESPONSE.slice(0, 2), ':path', '/'], false],
    'a status that is no number': [[':status', '2x0'], false],
    'a status of two digits': [[':status', '20'], false],
    'an interim response that ends the stream': [[':status', '100'], true],
    'a switch of protocols': [[':status', '101'], false],
    'a broken content-length': [[...RESPONSE, 'content-length', '-1'], false],
    'a content-length without body': [[...RESPONSE, 'content-length', '7'], true],
  };
  for (const [name, [fields, isEnd]] of Object.entries(cases)) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('client', { split }).handshake();
      peer.open(REQUEST, true);
      peer.frames();
      peer.send(peer.headers(1, fields, isEnd));
      assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
      assert.deepEqual(peer.kinds(), ['reset', 'closed']);
    });
  }
});

testSplits('DATA before a response resets the stream', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  peer.open();
  peer.frames();
  peer.send(frame('DATA', 0, 1, Buffer.alloc(5)));
  assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
});

describe('a stream the server never had ends the connection', () => {
  for (const [name, streamId] of [
    ['one we have not opened', 3],
    ['one of its own', 2],
  ] as const) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('client', { split }).handshake();
      peer.open();
      peer.frames();
      peer.send(peer.headers(streamId, RESPONSE, false));
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
    });
  }
});

describe('frames for a stream that is gone', () => {
  testSplits('cancelled by us: ignored', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.open().reset(H2_CANCEL);
    peer.send(peer.headers(1, RESPONSE, false), frame('DATA', 1, 1, Buffer.alloc(20)));
    assert.deepEqual(peer.answers(), ['HEADERS 1', `RST_STREAM 1 code ${H2_CANCEL}`]);
  });

  testSplits('cancelled long ago: answered by a reset, the connection goes on', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    for (let count = 0; count < 100; count++) peer.open().reset(H2_CANCEL);
    peer.frames();
    peer.send(peer.headers(1, RESPONSE, true), frame('DATA', 1, 3, Buffer.alloc(20)));
    assert.deepEqual(peer.answers(), [
      `RST_STREAM 1 code ${H2_STREAM_CLOSED}`,
      `RST_STREAM 3 code ${H2_STREAM_CLOSED}`,
    ]);
  });
});

describe('a request is known to be unprocessed', () => {
  testSplits('when the server refused it', (split) => {
    const peer = new ScriptedPeer('client', { split }).handshake();
    peer.open();
    peer.send(frame('RST_STREAM', 0, 1, u32(H2_REFUSED_STREAM)));
    const [reset] = peer.eventsOf('reset');
    assert.deepEqual([reset?.code, reset?.isUnprocessed], [H2_REFUSED_STREAM, true]);
  });

  test('when it never left the engine', () => {
    const peer = new ScriptedPeer('client').handshake();
    peer.open();
    peer.frames();
    peer.open();
    peer.engine.abort('gone');
    assert.deepEqual(
      peer.eventsOf('reset').map((event) => [event.code, event.isUnprocessed]),
      [
        [CONNECTION_LOST, false],
        [CONNECTION_LOST, true],
      ],
    );
  });
});

testSplits('a server that answers early and then resets with NO_ERROR has answered', (split) => {
  const peer = new ScriptedPeer('client', { split }).handshake();
  const stream = peer.open();
  peer.send(peer.headers(1, [...RESPONSE, 'grpc-status', '8'], true), frame('RST_STREAM', 0, 1, u32(H2_NO_ERROR)));
  assert.deepEqual(peer.kinds(), ['headers', 'reset', 'closed']);
  assert.equal(stream.isClosed, true);
});

test('a slot is free when the stream has told its last', () => {
  const seen: number[] = [];
  const peer = new ScriptedPeer('client', {
    onEvent: (event) => {
      if (event.kind === 'closed') seen.push(peer.engine.freeStreams);
    },
  }).handshake([3, 1]);
  peer.open(REQUEST, true);
  peer.send(peer.headers(1, RESPONSE, true));
  assert.deepEqual(seen, [1]);
});

test('a request may leave before the settings of the server are known', () => {
  const peer = new ScriptedPeer('client');
  assert.equal(peer.engine.freeStreams, 0);
  peer.open();
  assert.deepEqual(peer.answers().slice(-1), ['HEADERS 1']);
});

test('a server opens no streams', () => {
  const peer = new ScriptedPeer('server').handshake();
  assert.throws(() => peer.open(), /no free stream/);
});

test('a connection whose stream ids are used up ends with its last stream', () => {
  const peer = new ScriptedPeer('client').handshake();
  const { core } = peer.engine as unknown as { core: { streams: { lastOwnId: number } } };
  core.streams.lastOwnId = 0x7ffffffd;
  const stream = peer.open(REQUEST, true);
  assert.equal(stream.id, 0x7fffffff);
  assert.equal(peer.engine.freeStreams, 0);
  assert.deepEqual(peer.answers(), [`HEADERS ${stream.id} end`, `GOAWAY 0 last 0 code ${H2_NO_ERROR}`]);
  peer.send(peer.headers(stream.id, RESPONSE, true));
  assert.deepEqual(peer.kinds(), ['headers', 'closed', 'finished']);
});
