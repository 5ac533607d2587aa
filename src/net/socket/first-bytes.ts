/** Tells HTTP/2 from a request of HTTP/1 by the first bytes of an accepted connection. */
import { EMPTY_BYTES } from '../../base/index.js';

/** Results of `add`. */
export const FIRST_BYTES = { unclear: 0, http2: 1, http1: 2 } as const;

/** Enough of the connection preface to tell; no HTTP/1 method begins so. */
const PREFACE_START = 'PRI * HTTP/2';
/** Any other word is no request but a broken preface, which HTTP/2 ends without an answer. */
const HTTP1_REQUEST = /^(GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|TRACE|CONNECT) /;
/** Longer than any method name that is in use. */
const MAX_METHOD_BYTES = 16;

export class FirstBytes {
  /** All bytes so far. */
  bytes: Uint8Array = EMPTY_BYTES;
  /** What an HTTP/1 request is answered. */
  readonly answer: string;

  constructor(answer: string) {
    this.answer = answer;
  }

  /**
   * Takes the next chunk.
   * @returns unclear: more is needed; http1: send `answer` and close; http2: it is, or is nothing known, which the engine
   * refuses by its own rules. `bytes` then go on as one chunk.
   */
  add(chunk: Uint8Array): number {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    const text = Buffer.from(this.bytes.subarray(0, MAX_METHOD_BYTES)).toString('latin1');
    const start = text.slice(0, PREFACE_START.length);
    if (PREFACE_START.startsWith(start)) return start.length < 4 ? FIRST_BYTES.unclear : FIRST_BYTES.http2;
    if (HTTP1_REQUEST.test(text)) return FIRST_BYTES.http1;
    return /^[A-Z]*$/.test(text) && text.length < MAX_METHOD_BYTES ? FIRST_BYTES.unclear : FIRST_BYTES.http2;
  }
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
