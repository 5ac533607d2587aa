/** Stream states, and frames that do not fit them. @source RFC 9113 §5.1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CONNECTION_LOST,
  H2_CANCEL,
  H2_ENHANCE_YOUR_CALM,
  H2_NO_ERROR,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
  H2_STREAM_CLOSED,
} from '../../src/net/http2/index.js';
import { frame, REQUEST, RESPONSE, ScriptedPeer, testSplits, u32 } from '../support/peer.js';

testSplits('a request with its body, answered, leaves nothing open', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, false), frame('DATA', 0, 1, Buffer.from('hel')));
  peer.send(frame('DATA', 1, 1, Buffer.from('lo')));
  assert.equal(peer.dataOf(1).toString(), 'hello');
  assert.equal(peer.eventsOf('data').at(-1)?.isEnd, true);
  const stream = peer.streams.get(1)!;
  stream.sendHeaders(RESPONSE, false);
  assert.equal(stream.isClosed, false);
  stream.sendHeaders(['grpc-status', '0'], true);
  assert.equal(stream.isClosed, true);
  assert.deepEqual(peer.answers(), ['HEADERS 1', 'HEADERS 1 end']);
  assert.equal(peer.events.at(-1)?.kind, 'closed');
  assert.equal(peer.engine.openStreams, 0);
});

testSplits('a request without body ends in its HEADERS', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, true));
  assert.deepEqual(
    peer.events.map((event) => [event.kind, event.isEnd, event.fields]),
    [['stream', true, REQUEST]],
  );
});

testSplits('an empty last frame ends the request', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1));
  assert.deepEqual(peer.kinds(), ['stream', 'data']);
  assert.equal(peer.events[1]?.isEnd, true);
});

testSplits('request trailers end the request', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(peer.headers(1, REQUEST, false), peer.headers(1, ['x-checksum', '1'], true));
  const [trailers] = peer.eventsOf('headers');
  assert.deepEqual([trailers?.fields, trailers?.isEnd, trailers?.isTrailers], [['x-checksum', '1'], true, true]);
});

test('an answer given while the last piece is delivered closes the stream once', () => {
  const peer = new ScriptedPeer('server', {
    onEvent: (event, stream) => {
      if (event.kind === 'data' && event.isEnd) stream!.sendHeaders(['grpc-status', '0', ...RESPONSE], true);
    },
  }).handshake();
  peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1, Buffer.from('x')));
  assert.deepEqual(peer.kinds(), ['stream', 'data', 'closed']);
});

describe('frames on idle streams end the connection', () => {
  for (const [name, bytes] of [
    ['DATA', frame('DATA', 0, 5, Buffer.alloc(1))],
    ['RST_STREAM', frame('RST_STREAM', 0, 5, u32(8))],
    ['WINDOW_UPDATE', frame('WINDOW_UPDATE', 0, 5, u32(1))],
  ] as const) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(bytes);
      assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
    });
  }

  testSplits('HEADERS on an even stream', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(2, REQUEST, true));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  });

  testSplits('HEADERS on a stream below the last one, never opened', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(5, REQUEST, true), peer.headers(3, REQUEST, true));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 5 code ${H2_PROTOCOL_ERROR}`]);
  });
});

describe('after the peer has ended its side', () => {
  testSplits('DATA resets the stream', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, true), frame('DATA', 0, 1, Buffer.alloc(9)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_STREAM_CLOSED}`]);
    assert.deepEqual(peer.kinds(), ['stream', 'reset', 'closed']);
  });

  testSplits('HEADERS reset the stream', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, true), peer.headers(1, ['a', 'b'], true));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_STREAM_CLOSED}`]);
  });

  testSplits('WINDOW_UPDATE, PRIORITY and RST_STREAM are fine', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, true), frame('WINDOW_UPDATE', 0, 1, u32(10)));
    peer.send(frame('PRIORITY', 0, 1, Buffer.alloc(5)), frame('RST_STREAM', 0, 1, u32(H2_CANCEL)));
    assert.deepEqual(peer.answers(), []);
    assert.deepEqual(peer.kinds(), ['stream', 'reset', 'closed']);
  });
});

describe('after both sides have ended', () => {
  const ended = (split: 'whole' | 'bytes' | 'random'): ScriptedPeer => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, true));
    peer.streams.get(1)!.sendHeaders(RESPONSE, true);
    peer.answers();
    return peer;
  };

  testSplits('DATA ends the connection', (split) => {
    const peer = ended(split);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(3)));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_STREAM_CLOSED}`]);
  });

  testSplits('HEADERS end the connection', (split) => {
    const peer = ended(split);
    peer.send(peer.headers(1, REQUEST, true));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 1 code ${H2_STREAM_CLOSED}`]);
  });

  testSplits('WINDOW_UPDATE and RST_STREAM were on their way, and are ignored', (split) => {
    const peer = ended(split);
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(10)), frame('RST_STREAM', 0, 1, u32(H2_NO_ERROR)));
    assert.deepEqual(peer.answers(), []);
  });
});

describe('after we have reset a stream', () => {
  testSplits('its late frames are ignored, and its late HEADERS still decoded', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false));
    peer.streams.get(1)!.reset(H2_CANCEL);
    peer.send(frame('DATA', 0, 1, Buffer.alloc(100)), peer.headers(1, ['x-new-entry', 'late'], true));
    peer.send(frame('WINDOW_UPDATE', 0, 1, u32(1)), frame('RST_STREAM', 0, 1, u32(H2_CANCEL)));
    peer.send(peer.headers(3, [...REQUEST, 'x-new-entry', 'late'], true));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_CANCEL}`]);
    assert.deepEqual(peer.kinds(), ['stream', 'closed', 'stream']);
    assert.equal(peer.eventsOf('stream')[1]?.fields.at(-1), 'late');
  });

  testSplits('in the middle of a frame, the rest of it is dropped', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1, Buffer.alloc(100)).subarray(0, 50));
    peer.streams.get(1)!.reset(H2_CANCEL);
    const before = peer.events.length;
    peer.send(Buffer.alloc(59), frame('PING', 0, 0, Buffer.alloc(8)));
    assert.equal(peer.events.length, before);
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_CANCEL}`, 'PING 0 ack']);
  });

  test('long ago, a late frame is answered by another reset', () => {
    const peer = new ScriptedPeer('server').handshake();
    for (let id = 1; id < 301; id += 2) {
      peer.send(peer.headers(id, REQUEST, false));
      peer.streams.get(id)!.reset(H2_CANCEL);
    }
    peer.answers();
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_STREAM_CLOSED}`]);
  });

  test('nothing more is sent on it, and a second reset does nothing', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false));
    const stream = peer.streams.get(1)!;
    stream.reset(H2_CANCEL);
    stream.reset(H2_CANCEL);
    stream.sendHeaders(RESPONSE, false);
    stream.sendData([Buffer.alloc(5)], 5, true);
    stream.returnCredit(1 << 20);
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_CANCEL}`]);
  });
});

describe('after the peer has reset a stream', () => {
  testSplits('its receiver hears of it', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('RST_STREAM', 0, 1, u32(H2_CANCEL)));
    const [reset] = peer.eventsOf('reset');
    assert.deepEqual([reset?.code, reset?.isUnprocessed], [H2_CANCEL, false]);
    assert.deepEqual(peer.kinds(), ['stream', 'reset', 'closed']);
    assert.deepEqual(peer.answers(), []);
  });

  testSplits('DATA of the peer is answered by STREAM_CLOSED', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('RST_STREAM', 0, 1, u32(H2_CANCEL)));
    peer.send(frame('DATA', 0, 1, Buffer.alloc(1)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_STREAM_CLOSED}`]);
  });

  testSplits('HEADERS of the peer are answered by STREAM_CLOSED', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, REQUEST, false), frame('RST_STREAM', 0, 1, u32(H2_CANCEL)));
    peer.send(peer.headers(1, REQUEST, false));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_STREAM_CLOSED}`]);
  });
});

describe('more streams than we allow', () => {
  testSplits('are refused, and the place is free again later', (split) => {
    const peer = new ScriptedPeer('server', { split, settings: { maxConcurrentStreams: 1 } }).handshake();
    peer.send(peer.headers(1, REQUEST, false), peer.headers(3, REQUEST, false), frame('DATA', 1, 3, Buffer.alloc(4)));
    assert.deepEqual(peer.answers(), [`RST_STREAM 3 code ${H2_REFUSED_STREAM}`]);
    peer.streams.get(1)!.reset(H2_CANCEL);
    peer.send(peer.headers(5, REQUEST, false));
    assert.deepEqual([...peer.streams.keys()], [1, 5]);
  });
});

describe('when the connection is lost', () => {
  for (const [name, lose, isTold] of [
    ['by FIN', (peer: ScriptedPeer) => peer.engine.receiveEnd(), true],
    ['by the socket', (peer: ScriptedPeer) => peer.engine.abort('reset'), false],
    ['by our GOAWAY', (peer: ScriptedPeer) => peer.engine.goAway(H2_ENHANCE_YOUR_CALM), true],
  ] as const) {
    test(`${name}, every stream hears of it, once`, () => {
      const peer = new ScriptedPeer('server').handshake();
      peer.send(peer.headers(1, REQUEST, false), peer.headers(3, REQUEST, true));
      lose(peer);
      lose(peer);
      assert.deepEqual(
        peer.eventsOf('reset').map((event) => [event.streamId, event.code, event.isUnprocessed]),
        [
          [1, CONNECTION_LOST, false],
          [3, CONNECTION_LOST, false],
        ],
      );
      assert.equal(peer.eventsOf('closed').length, 2);
      assert.equal(peer.eventsOf('finished').length, isTold ? 1 : 0);
      assert.equal(peer.engine.openStreams, 0);
    });
  }

  test('a handler that resets its neighbours meanwhile does no harm', () => {
    const peer = new ScriptedPeer('server', {
      onEvent: (event) => {
        if (event.kind === 'reset') peer.streams.get(3)!.reset(H2_CANCEL);
      },
    }).handshake();
    peer.send(peer.headers(1, REQUEST, false), peer.headers(3, REQUEST, true));
    peer.engine.abort('gone');
    assert.deepEqual(
      peer.eventsOf('closed').map((event) => event.streamId),
      [3, 1],
    );
  });
});

test('a receiver that sets no handler costs nothing but its stream', () => {
  const peer = new ScriptedPeer('server', {
    onStream: (stream) => {
      stream.events = {
        onHeaders: () => undefined,
        onData: () => undefined,
        onReset: () => undefined,
        onDrain: () => undefined,
      };
    },
  }).handshake();
  peer.send(peer.headers(1, REQUEST, false), frame('DATA', 1, 1, Buffer.from('x')));
  assert.deepEqual(peer.kinds(), ['stream']);
});
