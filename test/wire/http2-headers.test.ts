/** Header blocks: their frames, their compression and the rules for their fields. @source RFC 9113 §4.3, §8. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_COMPRESSION_ERROR, H2_ENHANCE_YOUR_CALM, H2_PROTOCOL_ERROR } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, testSplits } from '../support/peer.js';

describe('CONTINUATION', () => {
  testSplits('joins a block at any cut', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    const block = peer.block(REQUEST);
    peer.send(frame('HEADERS', 1, 1, block.subarray(0, 3)), frame('CONTINUATION', 0, 1));
    peer.send(frame('CONTINUATION', 0, 1, block.subarray(3, 7)), frame('CONTINUATION', 4, 1, block.subarray(7)));
    const [stream] = peer.eventsOf('stream');
    assert.deepEqual([stream?.fields, stream?.isEnd], [REQUEST, true]);
  });

  testSplits('of another stream ends the connection', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(frame('HEADERS', 1, 1, peer.block(REQUEST)), frame('CONTINUATION', 4, 3));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  });

  testSplits('is due: any other frame ends the connection', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(frame('HEADERS', 1, 1, peer.block(REQUEST)), frame(0x77, 0, 1));
    assert.deepEqual(peer.answers(), [`GOAWAY 0 last 0 code ${H2_PROTOCOL_ERROR}`]);
  });

  test('a stream reset by us while its trailers are on their way stays quiet', () => {
    const peer = new ScriptedPeer('server').handshake();
    peer.send(peer.headers(1, REQUEST, false));
    const block = peer.block(['x-late', 'trailer']);
    peer.send(frame('HEADERS', 1, 1, block.subarray(0, 2)));
    peer.streams.get(1)!.reset(8);
    peer.send(frame('CONTINUATION', 4, 1, block.subarray(2)));
    assert.deepEqual(peer.answers(), ['RST_STREAM 1 code 8']);
  });
});

testSplits('a broken block ends the connection with COMPRESSION_ERROR', (split) => {
  const peer = new ScriptedPeer('server', { split }).handshake();
  peer.send(frame('HEADERS', 5, 1, Buffer.from([0xff, 0xff, 0xff])));
  const [goAway] = peer.frames();
  assert.equal(goAway?.payload.readUInt32BE(4), H2_COMPRESSION_ERROR);
  assert.match(goAway.payload.subarray(8).toString(), /^SAT_HPACK_/);
});

describe('a header list above our limit', () => {
  const large = [...REQUEST, 'x-large', 'v'.repeat(3000), 'x-entry', 'kept'];
  const settings = { maxHeaderListBytes: 2000 };

  testSplits('costs its call only, and the table stays in step', (split) => {
    const peer = new ScriptedPeer('server', { split, settings }).handshake();
    peer.send(peer.headers(1, large, true));
    peer.send(peer.headers(3, [...REQUEST, 'x-entry', 'kept'], true));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_ENHANCE_YOUR_CALM}`]);
    assert.deepEqual(peer.eventsOf('stream')[0]?.fields.slice(-2), ['x-entry', 'kept']);
  });

  testSplits('as trailers ends the call', (split) => {
    const peer = new ScriptedPeer('server', { split, settings }).handshake();
    peer.send(peer.headers(1, REQUEST, false), peer.headers(1, ['x-large', 'v'.repeat(3000)], true));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_ENHANCE_YOUR_CALM}`]);
    assert.equal(peer.eventsOf('reset')[0]?.code, H2_ENHANCE_YOUR_CALM);
  });
});

describe('a malformed request is reset with PROTOCOL_ERROR', () => {
  const base = [':method', 'POST', ':scheme', 'http', ':path', '/'];
  const cases: Record<string, string[]> = {
    'an upper-case name': [...base, 'X-Upper', '1'],
    'an empty name': [...base, '', '1'],
    'a space in a name': [...base, 'a b', '1'],
    'a colon in a name': [...base, 'a:b', '1'],
    'a byte above ASCII in a name': [...base, 'caf\u00e9', '1'],
    'a line feed in a value': [...base, 'a', '1\n2'],
    'a carriage return in a value': [...base, 'a', '\r'],
    'a zero in a value': [...base, 'a', '\0'],
    'a space before a value': [...base, 'a', ' 1'],
    'a tab behind a value': [...base, 'a', '1\t'],
    connection: [...base, 'connection', 'close'],
    'transfer-encoding': [...base, 'transfer-encoding', 'chunked'],
    'te other than trailers': [...base, 'te', 'gzip'],
    'no method': [':scheme', 'http', ':path', '/'],
    'no path': [':method', 'POST', ':scheme', 'http'],
    'no scheme': [':method', 'POST', ':path', '/'],
    'an empty path': [':method', 'POST', ':scheme', 'http', ':path', ''],
    'a pseudo-header field twice': [...base, ':path', '/'],
    'an unknown pseudo-header field': [...base, ':protocol', 'websocket'],
    'a response field': [...base, ':status', '200'],
    'a pseudo-header field behind others': [...base, 'a', '1', ':authority', 'x'],
    'CONNECT with a path': [':method', 'CONNECT', ':path', '/', ':authority', 'x'],
    'a content-length that is no number': [...base, 'content-length', '1x'],
    'two content-lengths': [...base, 'content-length', '1', 'content-length', '2'],
    'a content-length without body': [...base, 'content-length', '1'],
  };
  for (const [name, fields] of Object.entries(cases)) {
    test(name, () => {
      const peer = new ScriptedPeer('server').handshake();
      peer.send(peer.headers(1, fields, true), peer.headers(3, REQUEST, true));
      assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
      assert.deepEqual(
        peer.eventsOf('stream').map((event) => event.streamId),
        [3],
      );
    });
  }
});

describe('what is no error', () => {
  const base = [':method', 'POST', ':scheme', 'http', ':path', '/'];
  for (const fields of [
    [...base, 'te', 'trailers'],
    [...base, 'a', ''],
    [...base, 'a', 'caf\u00e9 \u00ff'],
    [...base, 'content-length', '0'],
    [...base, 'content-length', '0', 'content-length', '0'],
    [':method', 'CONNECT', ':authority', 'host:1'],
  ]) {
    test(JSON.stringify(fields.slice(-2)), () => {
      const peer = new ScriptedPeer('server').handshake();
      peer.send(peer.headers(1, fields, true));
      assert.deepEqual(peer.eventsOf('stream')[0]?.fields, fields);
    });
  }
});

describe('trailers', () => {
  for (const [name, fields, isEnd] of [
    ['without END_STREAM', ['a', 'b'], false],
    ['with a pseudo-header field', [':path', '/'], true],
    ['with an upper-case name', ['A', 'b'], true],
  ] as const) {
    testSplits(`${name} are malformed`, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, REQUEST, false), peer.headers(1, fields, isEnd));
      assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
      assert.equal(peer.eventsOf('reset').length, 1);
    });
  }
});

describe('a content-length that the body does not keep', () => {
  const request = [...REQUEST, 'content-length', '5'];
  for (const [name, frames] of [
    ['too much in one frame', [frame('DATA', 1, 1, Buffer.alloc(6))]],
    ['too much in two frames', [frame('DATA', 0, 1, Buffer.alloc(4)), frame('DATA', 1, 1, Buffer.alloc(4))]],
    ['too little', [frame('DATA', 1, 1, Buffer.alloc(4))]],
    ['too little, and an empty end', [frame('DATA', 0, 1, Buffer.alloc(4)), frame('DATA', 1, 1)]],
  ] as const) {
    testSplits(name, (split) => {
      const peer = new ScriptedPeer('server', { split }).handshake();
      peer.send(peer.headers(1, request, false), ...frames);
      assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
      assert.equal(
        peer.eventsOf('data').some((event) => event.isEnd),
        false,
      );
      assert.equal(peer.eventsOf('reset').length, 1);
    });
  }

  testSplits('trailers before its end', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(peer.headers(1, request, false), frame('DATA', 0, 1, Buffer.alloc(4)), peer.headers(1, ['a', 'b'], true));
    assert.deepEqual(peer.answers(), [`RST_STREAM 1 code ${H2_PROTOCOL_ERROR}`]);
  });

  testSplits('kept: it is no error', (split) => {
    const peer = new ScriptedPeer('server', { split }).handshake();
    peer.send(
      peer.headers(1, request, false),
      frame('DATA', 0, 1, Buffer.alloc(3)),
      frame('DATA', 1, 1, Buffer.alloc(2)),
    );
    assert.deepEqual(peer.answers(), []);
    assert.equal(peer.eventsOf('data').at(-1)?.isEnd, true);
  });
});

test('a large list of ours leaves in HEADERS and CONTINUATION of the size the peer takes', () => {
  const peer = new ScriptedPeer('server').handshake();
  peer.send(peer.headers(1, REQUEST, true));
  peer.streams.get(1)!.sendHeaders([':status', '200', 'x-large', '\u00ff'.repeat(40_000)], true);
  const frames = peer.frames();
  assert.deepEqual(
    frames.map((seen) => [seen.name, seen.flags, seen.payload.length <= 16384]),
    [
      ['HEADERS', 1, true],
      ['CONTINUATION', 0, true],
      ['CONTINUATION', 4, true],
    ],
  );
  const joined = { ...frames[0]!, payload: Buffer.concat(frames.map((seen) => seen.payload)) };
  assert.equal(peer.fieldsOf(joined)[3]?.length, 40_000);
});
