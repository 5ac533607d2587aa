/** A client of HTTP/2 on a real socket that does as it likes: bytes of the test's choice go out, what comes is kept. */
import { connect, type Socket } from 'node:net';
import { HpackEncoder } from '../../src/net/hpack/index.js';
import { CLIENT_PREFACE } from '../../src/net/http2/index.js';
import { frame, settingsFrame } from './peer.js';

export class RawPeer {
  readonly socket: Socket;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  /** All bytes so far. */
  received = Buffer.alloc(0);
  private readonly encoder = new HpackEncoder();

  /** @param settings as in `settingsFrame`. */
  constructor(port: number, settings: [number, number][] = []) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.send(CLIENT_PREFACE, settingsFrame(...settings));
  }

  send(...parts: Uint8Array[]): void {
    if (this.socket.writable) this.socket.write(Buffer.concat(parts));
  }

  /** HEADERS of a call. */
  headers(streamId: number, path: string, extra: readonly string[] = []): Buffer {
    const request = [':method', 'POST', ':scheme', 'http', ':path', path, ':authority', 'x', 'te', 'trailers'];
    const fields = [...request, 'content-type', 'application/grpc', ...extra];
    return frame('HEADERS', 4, streamId, Buffer.from(this.encoder.encode(fields)));
  }

  /** Whether `text` has come: the reason in a GOAWAY, or a status message, which are sent as they are. */
  hasHeard(text: string): boolean {
    return this.received.includes(text);
  }
}

/** DATA with the start of a message of `length` bytes, of which `bytes` are sent. */
export function messageStart(streamId: number, length: number, bytes: Uint8Array, isCompressed = false): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(isCompressed ? 1 : 0, 0);
  prefix.writeUInt32BE(length, 1);
  return frame('DATA', 0, streamId, Buffer.concat([prefix, bytes]));
}
