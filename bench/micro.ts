/**
 * `npm run bench -- --micro`: single functions of the hot path, in this process, without sockets. Figures drift with the
 * machine; what counts is one version of the code against another in the same minute.
 */
import { createSeededRandom, systemClock, TimerWheel } from '../src/base/index.js';
import { EndpointLoad } from '../src/core/balance/endpoint-load.js';
import { pick } from '../src/core/balance/picker.js';
import { AlsReader } from '../src/core/wire/index.js';
import {
  encodeConnectionStart,
  encodeRequestHeaders,
  FRAME_HEADER_BYTES,
  MAX_FRAME_BYTES,
} from '../src/lab/fleet/http2-bytes.js';
import { IdentityEncoder } from '../src/lab/fleet/identity.js';
import { buildTemplate, encodeLogs, ENVELOPE_BYTES, TemplatePool } from '../src/lab/fleet/message-template.js';
import { DEFAULT_FLEET_OPTIONS } from '../src/lab/fleet/options.js';
import { GrpcServer, ReassemblyMeter, type Message, type MethodHandler } from '../src/net/grpc/index.js';
import { SlicedMessage } from '../src/net/grpc/sliced-message.js';
import { DEFAULT_TABLE_BYTES, HpackDecoder } from '../src/net/hpack/index.js';
import { Http2Connection } from '../src/net/http2/connection.js';
import { DEFAULT_HTTP2_SETTINGS } from '../src/net/http2/settings.js';
import { createDiskMicros } from './micro-disk.js';
import { spreadOf } from './report/spread.js';

const ROUNDS = 7;
/** Long enough for the compiler to settle and the clock to be exact. @units ms */
const ROUND_MS = 150;

const MAX_HEADER_LIST_BYTES = 16_384;
/** Of a message in two DATA frames. */
const FIRST_SLICE_BYTES = MAX_FRAME_BYTES - ENVELOPE_BYTES;

const LARGE_LOGS = encodeLogs('http', 13, DEFAULT_FLEET_OPTIONS.entryBytes);

export interface Micro {
  readonly title: string;
  /** Does the work `times` times. */
  run(times: number): void;
}

function messageOf(...parts: readonly Uint8Array[]): Message {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return new SlicedMessage(parts, length, length);
}

function countEntries(): Micro {
  const reader = new AlsReader(true);
  // As it comes: two DATA frames, thus two slices.
  const message = messageOf(LARGE_LOGS.subarray(0, FIRST_SLICE_BYTES), LARGE_LOGS.subarray(FIRST_SLICE_BYTES));
  return {
    title: 'count the 13 entries of a 16 KB message',
    run: (times) => {
      for (let count = 0; count < times; count++) reader.read(message, null);
    },
  };
}

function takeIdentifier(identifierBytes: number): Micro {
  const reader = new AlsReader(true);
  const identifier = new IdentityEncoder(identifierBytes).encode(1, 'http_envoy_accesslog');
  const head: number[] = [0x0a];
  let rest = identifier.length;
  for (; rest >= 128; rest >>>= 7) head.push((rest & 127) | 128);
  head.push(rest);
  const message = messageOf(Buffer.concat([Buffer.from(head), identifier, LARGE_LOGS]));
  return {
    title: `take and compact an identifier of ${Math.round(identifierBytes / 1024)} KB`,
    run: (times) => {
      for (let count = 0; count < times; count++) reader.read(message, null);
    },
  };
}

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

/** The whole receiving side below the receiver: frames, flow control, envelope, message. */
function receiveMessages(): Micro {
  let received = 0;
  const handler: MethodHandler = {
    onCall: () => undefined,
    onMessage: () => {
      received++;
    },
    onHalfClose: () => undefined,
    onEnd: () => undefined,
  };
  const server = new GrpcServer({
    clock: systemClock,
    wheel: new TimerWheel(systemClock),
    meter: new ReassemblyMeter(1 << 30, null),
    maxReceiveMessageBytes: 1 << 24,
    onHandlerError: (_path, error) => {
      throw error;
    },
    onUnknownMethod: () => {
      throw new Error('unknown method');
    },
  });
  server.register('/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs', handler);
  const host = { onOutput: () => undefined, onFinished: () => undefined };
  const peer = { host: '127.0.0.1', port: 1, isTls: false };
  const connection = new Http2Connection('server', DEFAULT_HTTP2_SETTINGS, server.serve(peer), host);
  connection.receive(Buffer.concat([encodeConnectionStart(), encodeRequestHeaders(1, 'v3', '10.0.0.1')]), 0);
  const template = buildTemplate(LARGE_LOGS);
  template.fill(1, 1, 1, 0);
  const output = new Uint8Array(65_536);
  return {
    title: 'receive a 16 KB message in two DATA frames (HTTP/2 and gRPC, no socket)',
    run: (times) => {
      const before = received;
      for (let count = 0; count < times; count++) {
        connection.receive(template.framed, count);
        connection.takeOutput(output);
      }
      if (received - before !== times) throw new Error('messages got lost');
    },
  };
}

function pickEndpoint(endpoints: number): Micro {
  const loads = Array.from({ length: endpoints }, (_, index) => {
    const load = new EndpointLoad();
    load.begin({ bytes: 1000 * (index + 1), startedMs: 0, previous: null, next: null });
    return load;
  });
  const random = createSeededRandom(1);
  return {
    title: `pick one of ${endpoints} endpoints`,
    run: (times) => {
      for (let count = 0; count < times; count++) pick(loads, 1_000_000, count, random);
    },
  };
}

function fillTemplate(): Micro {
  const pool = new TemplatePool('http', DEFAULT_FLEET_OPTIONS.entryBytes);
  return {
    title: 'laboratory: make a 16 KB message from its template',
    run: (times) => {
      for (let count = 0; count < times; count++) {
        const template = pool.take(13);
        template.fill(1, 1, count * 13 + 1, 1_796_100_632_411);
        pool.give(template);
      }
    },
  };
}

/** One line per function: nanoseconds of one execution, median and spread of the rounds. */
export function runMicros(): string {
  const micros = [
    countEntries(),
    takeIdentifier(2048),
    takeIdentifier(60 * 1024),
    decodeHeaders(),
    receiveMessages(),
    pickEndpoint(4),
    pickEndpoint(64),
    fillTemplate(),
    ...createDiskMicros(),
  ];
  const lines = micros.map((micro) => {
    const { median, low, high } = spreadOf(measureRounds(micro));
    return `| ${micro.title} | ${median.toFixed(0)} | ${low.toFixed(0)}–${high.toFixed(0)} |`;
  });
  return ['| function | ns | spread |', '| --- | --- | --- |', ...lines, ''].join('\n');
}

function measureRounds(micro: Micro): number[] {
  let times = 100;
  while (elapsedMs(micro, times) < ROUND_MS) times *= 2;
  return Array.from({ length: ROUNDS }, () => (elapsedMs(micro, times) * 1e6) / times);
}

function elapsedMs(micro: Micro, times: number): number {
  const startMs = systemClock.now();
  micro.run(times);
  return systemClock.now() - startMs;
}
