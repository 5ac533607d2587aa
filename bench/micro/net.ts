/** The network's share: frames, header blocks, envelopes, whole connections without a socket. */
import { systemClock, TimerWheel } from '../../src/base/index.js';
import {
  encodeConnectionStart,
  encodeFrame,
  encodeRequestHeaders,
  encodeWindowUpdate,
  FRAME_DATA,
  FRAME_HEADER_BYTES,
  FRAME_SETTINGS,
  MAX_FRAME_BYTES,
} from '../../src/lab/fleet/http2-bytes.js';
import { buildTemplate, ENVELOPE_BYTES } from '../../src/lab/fleet/message-template.js';
import { GrpcServer, ReassemblyMeter, type MethodHandler } from '../../src/net/grpc/index.js';
import { MessageReader, READ } from '../../src/net/grpc/message-reader.js';
import { DEFAULT_TABLE_BYTES, HpackDecoder, HpackEncoder } from '../../src/net/hpack/index.js';
import { Http2Connection } from '../../src/net/http2/connection.js';
import { FrameReader, TAKE_DATA } from '../../src/net/http2/frame-reader.js';
import { DEFAULT_HTTP2_SETTINGS } from '../../src/net/http2/settings.js';
import { expect, LARGE_LOGS, SMALL_LOGS, type Micro } from './micro.js';

const MAX_HEADER_LIST_BYTES = 16_384;
const MAX_MESSAGE_BYTES = 1 << 24;
/** As a socket gives it, and takes it. */
const CHUNK_BYTES = 65_536;
const ALS_PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
const HOST = { onOutput: () => undefined, onFinished: () => undefined };
const PEER = { host: '127.0.0.1', port: 1, isTls: false };
const UNLIMITED = 0x7fffffff;

function decodeHeaders(): Micro {
  const frame = encodeRequestHeaders(1, 'v3', '10.0.0.1');
  const block = frame.subarray(FRAME_HEADER_BYTES);
  const decoder = new HpackDecoder(DEFAULT_TABLE_BYTES);
  const fields: string[] = [];
  return {
    title: 'decode the header block of an Envoy stream',
    run: (times) => {
      for (let count = 0; count < times; count++) {
        fields.length = 0;
        decoder.decode(block, 0, block.length, fields, MAX_HEADER_LIST_BYTES);
      }
    },
  };
}

function encodeHeaders(): Micro {
  const encoder = new HpackEncoder();
  const headers = [':method', 'POST', ':scheme', 'http', ':path', ALS_PATH, ':authority', 'oap-0:11800'];
  headers.push('te', 'trailers', 'content-type', 'application/grpc');
  return {
    title: 'encode the header block of a call to an OAP',
    run: (times) => {
      for (let count = 0; count < times; count++) encoder.encode(headers);
    },
  };
}

function findFrames(): Micro {
  const frame = encodeFrame(FRAME_DATA, 0, 1, Buffer.alloc(MAX_FRAME_BYTES - FRAME_HEADER_BYTES));
  const chunk = Buffer.concat(Array.from({ length: CHUNK_BYTES / MAX_FRAME_BYTES }, () => frame));
  let pieces = 0;
  const reader = new FrameReader(
    {
      beginFrame: () => TAKE_DATA,
      endFrame: () => true,
      dataPiece: () => {
        pieces++;
        return true;
      },
      dataPadding: () => true,
      endData: () => true,
      refuse: () => undefined,
    },
    false,
  );
  return {
    title: 'find the four DATA frames of a chunk of 64 KB',
    run: (times) => {
      const before = pieces;
      for (let count = 0; count < times; count++) reader.read(chunk);
      expect(pieces - before, times * (CHUNK_BYTES / MAX_FRAME_BYTES));
    },
  };
}

function cutMessage(title: string, logs: Uint8Array): Micro {
  const envelope = Buffer.alloc(ENVELOPE_BYTES + logs.length);
  envelope.writeUInt32BE(logs.length, 1);
  envelope.set(logs, ENVELOPE_BYTES);
  // As it comes in frames of 16 KB.
  const first = envelope.subarray(0, MAX_FRAME_BYTES);
  const rest = envelope.subarray(MAX_FRAME_BYTES);
  const reader = new MessageReader(MAX_MESSAGE_BYTES, new ReassemblyMeter(1 << 30, null));
  return {
    title: `read ${title} out of its DATA payloads`,
    run: (times) => {
      let messages = 0;
      for (let count = 0; count < times; count++) {
        reader.push(first);
        if (reader.next() === READ.needMore) {
          reader.push(rest);
          reader.next();
        }
        reader.takeMessage().release();
        if (reader.next() === READ.needMore) messages++;
      }
      expect(messages, times);
    },
  };
}

/** The whole receiving side below the receiver: frames, flow control, envelope, message. */
function receiveMessages(title: string, logs: Uint8Array): Micro {
  let received = 0;
  const handler: MethodHandler = {
    onCall: () => undefined,
    onMessage: (_call, message) => {
      received++;
      message.release();
    },
    onHalfClose: () => undefined,
    onEnd: () => undefined,
  };
  const server = new GrpcServer({
    clock: systemClock,
    wheel: new TimerWheel(systemClock),
    meter: new ReassemblyMeter(1 << 30, null),
    maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
    onHandlerError: (_path, error) => {
      throw error;
    },
    onUnknownMethod: () => {
      throw new Error('unknown method');
    },
  });
  server.register(ALS_PATH, handler);
  const connection = new Http2Connection('server', DEFAULT_HTTP2_SETTINGS, server.serve(PEER), HOST);
  connection.receive(Buffer.concat([encodeConnectionStart(), encodeRequestHeaders(1, 'v3', '10.0.0.1')]), 0);
  const template = buildTemplate(logs);
  template.fill(1, 1, 1, 0);
  const output = new Uint8Array(CHUNK_BYTES);
  return {
    title: `receive ${title} (HTTP/2 and gRPC, no socket)`,
    run: (times) => {
      const before = received;
      for (let count = 0; count < times; count++) {
        connection.receive(template.framed, count);
        connection.takeOutput(output);
      }
      expect(received - before, times);
    },
  };
}

/** The sending side: credit, frames cut, all in one piece for the socket. */
function sendMessages(title: string, logs: Uint8Array): Micro {
  const events = {
    onStream: () => undefined,
    onSettings: () => undefined,
    onGoAway: () => undefined,
    onStreamClosed: () => undefined,
  };
  const connection = new Http2Connection('client', DEFAULT_HTTP2_SETTINGS, events, HOST);
  const settings = Buffer.alloc(6);
  settings.writeUInt16BE(4, 0);
  settings.writeUInt32BE(UNLIMITED, 2);
  connection.receive(encodeFrame(FRAME_SETTINGS, 0, 0, settings), 0);
  const nothing = (): void => undefined;
  const stream = connection.openStream(
    [':method', 'POST', ':scheme', 'http', ':path', ALS_PATH, ':authority', 'x'],
    false,
    { onHeaders: nothing, onData: nothing, onReset: nothing, onDrain: nothing },
    null,
  )!;
  const bytes = ENVELOPE_BYTES + logs.length;
  const parts = [Buffer.alloc(ENVELOPE_BYTES), logs];
  const credit = Buffer.concat([encodeWindowUpdate(0, bytes), encodeWindowUpdate(1, bytes)]);
  const output = new Uint8Array(CHUNK_BYTES);
  let nowMs = 0;
  return {
    title: `send ${title} and get credit for it (HTTP/2, no socket)`,
    run: (times) => {
      let taken = 0;
      for (let count = 0; count < times; count++) {
        stream.sendData(parts, bytes, false);
        taken += connection.takeOutput(output).length;
        // A millisecond each: credit is counted by the second, and refused when there is too much of it.
        connection.receive(credit, nowMs++);
      }
      if (taken < times * bytes) throw new Error('messages got stuck');
    },
  };
}

export function createNetMicros(): readonly Micro[] {
  return [
    decodeHeaders(),
    encodeHeaders(),
    findFrames(),
    cutMessage('a 16 KB message', LARGE_LOGS),
    cutMessage('a 1.3 KB message', SMALL_LOGS),
    receiveMessages('a 16 KB message in two DATA frames', LARGE_LOGS),
    receiveMessages('a 1.3 KB message in one', SMALL_LOGS),
    sendMessages('a 16 KB message', LARGE_LOGS),
    sendMessages('a 1.3 KB message', SMALL_LOGS),
  ];
}
