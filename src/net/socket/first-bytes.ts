/**
 * Tells by its first bytes whether the peer of a new connection speaks HTTP/2, or something else that can be named: the
 * commonest mistakes are TLS on one side only and a port of HTTP/1.
 */
import { EMPTY_BYTES } from '../../base/index.js';

/** Results of `add`. */
export const FIRST_BYTES = { unclear: 0, http2: 1, http1: 2, tls: 3 } as const;

/** What a connection hears first. */
export interface FirstBytes {
  /** All bytes so far. */
  readonly bytes: Uint8Array;
  /** Sent, before the connection is closed, to a peer that speaks HTTP/1 or TLS; '' says nothing. */
  readonly answer: string;
  /** Why a peer that speaks HTTP/1 is an error; '' when the answer is all there is to it. */
  readonly http1Reason: string;
  /** Why a peer that speaks TLS cannot be understood. */
  readonly tlsReason: string;
  /**
   * Takes the next chunk.
   * @returns unclear: more is needed; http1, tls: send `answer` and close; http2: it is, or is nothing known, which the
   * engine refuses by its own rules. `bytes` then go on as one chunk.
   * @ownership the chunk is borrowed until more is needed: then it was copied.
   */
  add(chunk: Uint8Array): number;
}

/** Enough of the connection preface to tell; no HTTP/1 method begins so. */
const PREFACE_START = 'PRI * HTTP/2';
/** Any other word is no request but a broken preface, which HTTP/2 ends without an answer. */
const HTTP1_REQUEST = /^(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|TRACE|CONNECT) /;
/** Longer than any method name that is in use. */
const MAX_METHOD_BYTES = 16;
/** Content type of a TLS record and the first byte of its version. @source RFC 8446 §5.1. */
const TLS_HANDSHAKE = '\x16\x03';
const TLS_ALERT = '\x15\x03';
const HTTP1_RESPONSE = 'HTTP/1.';

abstract class HeldBytes {
  bytes: Uint8Array = EMPTY_BYTES;

  add(chunk: Uint8Array): number {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    const result = this.judge();
    if (result === FIRST_BYTES.unclear && this.bytes === chunk) this.bytes = new Uint8Array(chunk);
    return result;
  }

  protected abstract judge(): number;
}

/** Of an accepted connection: a client's. */
export class ClientFirstBytes extends HeldBytes implements FirstBytes {
  readonly answer: string;
  readonly http1Reason = '';
  readonly tlsReason = 'the client speaks TLS, and this port does not';

  constructor(answer: string) {
    super();
    this.answer = answer;
  }

  protected override judge(): number {
    const text = startOf(this.bytes);
    const start = text.slice(0, PREFACE_START.length);
    if (PREFACE_START.startsWith(start)) return start.length < 4 ? FIRST_BYTES.unclear : FIRST_BYTES.http2;
    if (HTTP1_REQUEST.test(text)) return FIRST_BYTES.http1;
    if (isStart(text, TLS_HANDSHAKE)) return text.length < TLS_HANDSHAKE.length ? FIRST_BYTES.unclear : FIRST_BYTES.tls;
    return /^[A-Z]*$/.test(text) && text.length < MAX_METHOD_BYTES ? FIRST_BYTES.unclear : FIRST_BYTES.http2;
  }
}

/** Of a dialled connection: a server's. */
export class ServerFirstBytes extends HeldBytes implements FirstBytes {
  readonly answer = '';
  readonly http1Reason = 'the server speaks HTTP/1: this is not its gRPC port';
  readonly tlsReason = 'the server speaks TLS, and TLS is not switched on here';

  protected override judge(): number {
    const text = startOf(this.bytes);
    if (isStart(text, TLS_ALERT)) return text.length < TLS_ALERT.length ? FIRST_BYTES.unclear : FIRST_BYTES.tls;
    if (isStart(text, HTTP1_RESPONSE))
      return text.length < HTTP1_RESPONSE.length ? FIRST_BYTES.unclear : FIRST_BYTES.http1;
    return FIRST_BYTES.http2;
  }
}

function startOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, MAX_METHOD_BYTES)).toString('latin1');
}

/** One of the two begins with the other. */
function isStart(text: string, expected: string): boolean {
  return expected.startsWith(text.slice(0, expected.length));
}

/** The whole HTTP/1.1 response for a request on a port that serves gRPC. `hint` says where HTTP is served. */
export function http1Answer(hint: string): string {
  const body = `This port speaks gRPC over HTTP/2. ${hint}\n`;
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
