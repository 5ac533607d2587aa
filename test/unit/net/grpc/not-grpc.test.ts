/** Requests and answers of plain HTTP/2, and calls that break the rules of gRPC. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallOptions } from '../../../../src/net/grpc/contract.js';
import { GRPC_STATUS, statusOfHttp, statusOfReset } from '../../../../src/net/grpc/index.js';
import type { HeaderFields, Http2StreamEvents, Http2StreamHandle } from '../../../../src/net/http2/contract.js';
import { LIMIT_BYTES, Pair, Recorder, type RecordedCall } from './pair.js';

const PATH = '/test.Service/Method';
const ANSWER = [':status', '200', 'content-type', 'application/grpc'];

class Answer implements Http2StreamEvents {
  fields: HeaderFields = [];
  body = '';
  isEnded = false;
  resets = 0;

  onHeaders(_stream: Http2StreamHandle, fields: HeaderFields, endStream: boolean): void {
    this.fields = fields;
    this.isEnded ||= endStream;
  }

  onData(_stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void {
    this.body += Buffer.from(slice).toString();
    this.isEnded ||= endStream;
  }

  onReset(): void {
    this.resets++;
  }

  onDrain(): void {
    // Bodies here are small.
  }
}

function request(pair: Pair, method: string, contentType: string, endStream: boolean): [Http2StreamHandle, Answer] {
  const answer = new Answer();
  const target = [':method', method, ':scheme', 'http', ':path', PATH, ':authority', 'a'];
  const stream = pair.clientEngine.openStream([...target, 'content-type', contentType], endStream, answer, null);
  assert.ok(stream !== null);
  return [stream, answer];
}

describe('a request that is not gRPC is read to its end and answered with 415 and a sentence', () => {
  const ends: Record<string, (stream: Http2StreamHandle) => void> = {
    'a body': (stream) => stream.sendData([Buffer.from('{}')], 2, true),
    'a body and trailers': (stream) => {
      stream.sendData([Buffer.from('{}')], 2, false);
      stream.sendHeaders(['x-checksum', '1'], true);
    },
  };

  function assertRefused(pair: Pair, answer: Answer): void {
    pair.pump();
    assert.deepEqual(answer.fields.slice(0, 2), [':status', '415']);
    assert.match(answer.body, /This port speaks gRPC/);
    assert.ok(answer.isEnded);
    assert.equal(pair.server.counters.notGrpcRequests, 1);
    assert.equal(pair.serverEngine.openStreams, 0);
  }

  test('without a body', () => {
    const pair = new Pair();
    assertRefused(pair, request(pair, 'GET', 'text/html', true)[1]);
  });

  test('a GET that says it is gRPC', () => {
    const pair = new Pair();
    assertRefused(pair, request(pair, 'GET', 'application/grpc', true)[1]);
  });

  test('a content-type that only begins like it', () => {
    const pair = new Pair();
    assertRefused(pair, request(pair, 'POST', 'application/grpc-web', true)[1]);
  });

  for (const [name, end] of Object.entries(ends)) {
    test(`with ${name}`, () => {
      const pair = new Pair();
      const [stream, answer] = request(pair, 'POST', 'application/json', false);
      pair.pump();
      assert.deepEqual(answer.fields, []);
      end(stream);
      assertRefused(pair, answer);
    });
  }

  test('reset before its end: nothing is left', () => {
    const pair = new Pair();
    const [stream] = request(pair, 'POST', 'application/json', false);
    pair.pump();
    stream.reset(8);
    pair.pump();
    assert.equal(pair.serverEngine.openStreams, 0);
  });
});

test('a content-type with a parameter or a codec is gRPC', () => {
  for (const contentType of ['application/grpc+proto', 'application/grpc; charset=utf-8']) {
    const pair = new Pair();
    const handler = new Recorder();
    pair.server.register(PATH, handler);
    request(pair, 'POST', contentType, true);
    pair.pump();
    assert.equal(handler.halfCloses, 1);
  }
});

test('a call of an unknown method is answered at once; what it still sends is credited and dropped', () => {
  const pair = new Pair();
  const [stream, answer] = request(pair, 'POST', 'application/grpc', false);
  for (let sent = 0; sent < 3; sent++) stream.sendData([Buffer.alloc(50_000)], 50_000, false);
  pair.pump();
  assert.equal(answer.fields[answer.fields.indexOf('grpc-status') + 1], String(GRPC_STATUS.UNIMPLEMENTED));
  assert.equal(pair.serverEngine.openStreams, 0);
  assert.equal(pair.clientEngine.openStreams, 0);
});

test('trailers of a request are its end', () => {
  const pair = new Pair();
  const handler = new Recorder();
  pair.server.register(PATH, handler);
  const [stream] = request(pair, 'POST', 'application/grpc', false);
  stream.sendHeaders(['x-checksum', '1'], true);
  pair.pump();
  assert.equal(handler.halfCloses, 1);
});

describe('an answer that is not gRPC ends the call with what HTTP says', () => {
  const answers: [string, HeaderFields, number, RegExp][] = [
    [
      'a proxy without a backend',
      [':status', '503', 'content-type', 'text/html'],
      GRPC_STATUS.UNAVAILABLE,
      /503, text/,
    ],
    ['no content-type', [':status', '404'], GRPC_STATUS.UNIMPLEMENTED, /404, no content-type/],
    ['a page', [':status', '200', 'content-type', 'text/html'], GRPC_STATUS.UNKNOWN, /200, text/],
    ['a status nevertheless', [':status', '403', 'grpc-status', '16'], GRPC_STATUS.UNAUTHENTICATED, /^$/],
  ];
  for (const [name, fields, code, message] of answers) {
    for (const isEnd of [true, false]) {
      test(`${name}, ${isEnd ? 'at once' : 'with a body to come'}`, () => {
        const { pair, record, stream } = openRaw();
        stream.sendHeaders(fields, isEnd);
        if (!isEnd) stream.sendData([Buffer.from('<html>')], 6, true);
        pair.pump();
        assert.equal(record.status?.code, code);
        assert.match(record.status.message, message);
        assert.equal(record.statusCount, 1);
        assert.equal(pair.clientEngine.openStreams, 0);
      });
    }
  }

  const http = [
    [400, GRPC_STATUS.INTERNAL],
    [401, GRPC_STATUS.UNAUTHENTICATED],
    [403, GRPC_STATUS.PERMISSION_DENIED],
    [404, GRPC_STATUS.UNIMPLEMENTED],
    [429, GRPC_STATUS.UNAVAILABLE],
    [502, GRPC_STATUS.UNAVAILABLE],
    [503, GRPC_STATUS.UNAVAILABLE],
    [504, GRPC_STATUS.UNAVAILABLE],
    [500, GRPC_STATUS.UNKNOWN],
  ] as const;
  test('by the table of gRPC', () => {
    for (const [status, code] of http) assert.equal(statusOfHttp(status), code, `HTTP ${status}`);
    assert.equal(statusOfReset(99), GRPC_STATUS.UNKNOWN);
  });
});

describe('an answer that breaks the rules of gRPC', () => {
  const scripts: Record<string, { send: (stream: Http2StreamHandle) => void; code: number; message: RegExp }> = {
    'no status in its trailers': {
      send: (stream) => {
        stream.sendHeaders(ANSWER, false);
        stream.sendHeaders(['x', 'y'], true);
      },
      code: GRPC_STATUS.UNKNOWN,
      message: /the trailers carry no grpc-status/,
    },
    'no trailers': {
      send: (stream) => {
        stream.sendHeaders(ANSWER, false);
        stream.sendData([], 0, true);
      },
      code: GRPC_STATUS.INTERNAL,
      message: /the response ended without a status/,
    },
    'a status that is no number': {
      send: (stream) => stream.sendHeaders([...ANSWER, 'grpc-status', 'fine'], true),
      code: GRPC_STATUS.UNKNOWN,
      message: /^$/,
    },
    'OK within a message': {
      send: (stream) => {
        stream.sendHeaders(ANSWER, false);
        stream.sendData([Buffer.from([0, 0, 0, 0, 9, 1])], 6, false);
        stream.sendHeaders(['grpc-status', '0'], true);
      },
      code: GRPC_STATUS.INTERNAL,
      message: /ended within a message, 8 bytes short/,
    },
    'an encoding of its own': {
      send: (stream) => stream.sendHeaders([...ANSWER, 'grpc-encoding', 'snappy'], false),
      code: GRPC_STATUS.INTERNAL,
      message: /grpc-encoding snappy is not supported/,
    },
    'an unknown flag before a message': {
      send: (stream) => {
        stream.sendHeaders(ANSWER, false);
        stream.sendData([Buffer.from([2, 0, 0, 0, 0])], 5, false);
      },
      code: GRPC_STATUS.INTERNAL,
      message: /unknown flag/,
    },
    'a message above our limit': {
      send: (stream) => {
        stream.sendHeaders(ANSWER, false);
        const prefix = Buffer.alloc(5);
        prefix.writeUInt32BE(LIMIT_BYTES + 1, 1);
        stream.sendData([prefix], 5, false);
      },
      code: GRPC_STATUS.RESOURCE_EXHAUSTED,
      message: /larger than the limit/,
    },
  };
  for (const [name, { send, code, message }] of Object.entries(scripts)) {
    test(name, () => {
      const { pair, record, stream } = openRaw();
      send(stream);
      pair.pump();
      assert.equal(record.status?.code, code);
      assert.match(record.status.message, message);
      assert.equal(pair.clientEngine.openStreams, 0);
      assert.equal(pair.meter.usedBytes, 0);
    });
  }

  test('a receiver that throws ends its call with INTERNAL, and is reported', () => {
    const { pair, handler } = openRaw();
    const codes: number[] = [];
    const onMessage = (): void => {
      throw new Error('no');
    };
    pair.client.openCall(PATH, { onMessage, onStatus: (_call, status) => codes.push(status.code) }, {});
    pair.pump();
    const stream = handler.streamOf(1);
    stream.sendHeaders(ANSWER, false);
    stream.sendData([Buffer.from([0, 0, 0, 0, 0])], 5, false);
    pair.pump();
    assert.deepEqual(codes, [GRPC_STATUS.INTERNAL]);
    assert.equal(pair.bugs.length, 1);
  });
});

describe('a call that ignores its reply takes OK for OK', () => {
  const prefixOf = (flag: number, bytes: number): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix[0] = flag;
    prefix.writeUInt32BE(bytes, 1);
    return prefix;
  };
  const replies: Record<string, { body: Buffer; encoding?: string }> = {
    'behind a message above our limit': {
      body: Buffer.concat([prefixOf(0, LIMIT_BYTES + 1), Buffer.alloc(LIMIT_BYTES + 1)]),
    },
    'within a message': { body: prefixOf(0, 9) },
    'behind an unknown flag': { body: prefixOf(2, 0) },
    'behind what cannot be inflated': {
      body: Buffer.concat([prefixOf(1, 3), Buffer.from('???')]),
      encoding: 'gzip',
    },
    'in an encoding of its own': { body: prefixOf(1, 0), encoding: 'snappy' },
  };
  for (const [name, { body, encoding }] of Object.entries(replies)) {
    test(name, () => {
      const { pair, record, stream } = openRaw({ ignoresReply: true });
      stream.sendHeaders([...ANSWER, ...(encoding === undefined ? [] : ['grpc-encoding', encoding])], false);
      stream.sendData([body], body.length, false);
      pair.pump();
      assert.equal(record.status, null);
      stream.sendHeaders(['grpc-status', '0'], true);
      pair.pump();
      assert.equal(record.status!.code, GRPC_STATUS.OK);
      assert.equal(pair.clientEngine.openStreams, 0);
      assert.equal(pair.meter.usedBytes, 0);
    });
  }

  test('and no status for none', () => {
    const { pair, record, stream } = openRaw({ ignoresReply: true });
    stream.sendHeaders(ANSWER, false);
    stream.sendData([prefixOf(0, 0)], 5, true);
    pair.pump();
    assert.equal(record.status?.code, GRPC_STATUS.INTERNAL);
  });
});

/** A call whose server is driven by hand, below gRPC. */
function openRaw(options: CallOptions = {}): {
  pair: Pair;
  record: RecordedCall;
  stream: Http2StreamHandle;
  handler: Silent;
} {
  const pair = new Pair();
  const handler = new Silent();
  pair.server.register(PATH, handler);
  const record = pair.open(PATH, options);
  record.call.halfClose();
  pair.pump();
  return { pair, record, stream: handler.streamOf(0), handler };
}

class Silent extends Recorder {
  override onHalfClose(): void {
    // The test answers.
  }

  streamOf(index: number): Http2StreamHandle {
    return (this.calls[index] as unknown as { stream: Http2StreamHandle }).stream;
  }
}
