/**
 * An OAP that breaks the protocol, the same way each time. It accepts no data: what it was given must come elsewhere.
 *
 *     reset         RST_STREAM(INTERNAL_ERROR) once a call has half-closed
 *     no-trailers   response headers, then the end of the stream without a status
 *     goaway        GOAWAY whose last stream id is the first of four calls; that one is refused, then it hangs up
 *     hang-up       closes the connection in the middle of its answer
 *     garbage       answers with what is no HTTP/2
 */
import { createServer, type Server, type Socket } from 'node:net';
import {
  encodeFrame,
  encodeReset,
  encodeWindowUpdate,
  ERROR_INTERNAL,
  FLAG_ACK,
  FLAG_END_HEADERS,
  FLAG_END_STREAM,
  FRAME_DATA,
  FRAME_GOAWAY,
  FRAME_HEADER_BYTES,
  FRAME_HEADERS,
  FRAME_PING,
  FRAME_SETTINGS,
} from '../fleet/http2-bytes.js';

export const ROGUES = ['reset', 'no-trailers', 'goaway', 'hang-up', 'garbage'] as const;
export type RogueKind = (typeof ROGUES)[number];

export interface RogueOap {
  readonly port: number;
  readonly address: string;
  /** Calls that it was given whole. */
  readonly calls: number;
  close(): Promise<void>;
}

/** Larger than any batch: a rogue's flow control is in order. */
const CREDIT_BYTES = 1 << 30;
const SETTING_INITIAL_WINDOW_SIZE = 4;
/** GOAWAY comes when so many calls have begun on a connection. */
const GOAWAY_AT_CALL = 4;
const PREFACE_BYTES = 24;
const UNAVAILABLE = '14';
const EMPTY = Buffer.alloc(0);

export async function startRogueOap(kind: RogueKind): Promise<RogueOap> {
  const rogue = new Rogue(kind);
  await rogue.listen();
  return rogue;
}

class Rogue implements RogueOap {
  port = 0;
  calls = 0;
  readonly kind: RogueKind;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(kind: RogueKind) {
    this.kind = kind;
    this.server = createServer({ noDelay: true }, (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      new RogueConnection(this, socket);
    });
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', () => {
        const bound = this.server.address();
        if (typeof bound === 'object' && bound !== null) this.port = bound.port;
        resolve();
      });
    });
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }
}

class RogueConnection {
  private readonly rogue: Rogue;
  private readonly socket: Socket;
  private unread: Buffer = EMPTY;
  private isPrefaceRead = false;
  private streams = 0;
  private firstStream = 0;

  constructor(rogue: Rogue, socket: Socket) {
    this.rogue = rogue;
    this.socket = socket;
    const settings = Buffer.alloc(6);
    settings.writeUInt16BE(SETTING_INITIAL_WINDOW_SIZE);
    settings.writeUInt32BE(CREDIT_BYTES, 2);
    this.write(encodeFrame(FRAME_SETTINGS, 0, 0, settings));
    this.write(encodeWindowUpdate(0, CREDIT_BYTES));
    socket.on('data', (chunk: Buffer) => {
      this.unread = Buffer.concat([this.unread, chunk]);
      this.read();
    });
  }

  private read(): void {
    let at = 0;
    if (!this.isPrefaceRead) {
      if (this.unread.length < PREFACE_BYTES) return;
      this.isPrefaceRead = true;
      at = PREFACE_BYTES;
    }
    while (this.unread.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + this.unread.readUIntBE(at, 3);
      if (this.unread.length < end) break;
      const type = this.unread[at + 3] ?? 0;
      const flags = this.unread[at + 4] ?? 0;
      this.onFrame(type, flags, this.unread.readUInt32BE(at + 5), this.unread.subarray(at + FRAME_HEADER_BYTES, end));
      at = end;
    }
    this.unread = this.unread.subarray(at);
  }

  private onFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    const isAck = (flags & FLAG_ACK) !== 0;
    if (type === FRAME_SETTINGS && !isAck) this.write(encodeFrame(FRAME_SETTINGS, FLAG_ACK, 0, EMPTY));
    if (type === FRAME_PING && !isAck) this.write(encodeFrame(FRAME_PING, FLAG_ACK, 0, payload));
    if (type === FRAME_HEADERS) this.onCall(stream);
    if (type === FRAME_DATA) {
      // The connection's credit would be used up in the end.
      if (payload.length > 0) this.write(encodeWindowUpdate(0, payload.length));
      if ((flags & FLAG_END_STREAM) !== 0) this.onHalfClose(stream);
    }
  }

  private onCall(stream: number): void {
    this.streams++;
    if (this.streams === 1) this.firstStream = stream;
    if (this.rogue.kind !== 'goaway' || this.streams < GOAWAY_AT_CALL) return;
    const goaway = Buffer.alloc(8);
    goaway.writeUInt32BE(this.firstStream);
    this.write(encodeFrame(FRAME_GOAWAY, 0, 0, goaway));
    this.write(answer(this.firstStream, ['grpc-status', UNAVAILABLE], FLAG_END_STREAM));
    this.socket.end();
  }

  private onHalfClose(stream: number): void {
    this.rogue.calls++;
    switch (this.rogue.kind) {
      case 'reset':
        this.write(encodeReset(stream, ERROR_INTERNAL));
        break;
      case 'no-trailers':
        this.write(answer(stream, [], 0));
        this.write(encodeFrame(FRAME_DATA, FLAG_END_STREAM, stream, Buffer.alloc(5)));
        break;
      case 'hang-up':
        this.write(answer(stream, [], 0));
        this.socket.end();
        break;
      case 'garbage':
        this.write(Buffer.alloc(64, 'garbage '));
        break;
      case 'goaway':
        break;
    }
  }

  private write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }
}

/** Response headers: `:status 200` from the static table, the rest as literals without indexing (RFC 7541 §6.2.2). */
function answer(stream: number, fields: readonly string[], flags: number): Buffer {
  const block: number[] = [0x88];
  const texts = ['content-type', 'application/grpc', ...fields];
  for (let index = 0; index < texts.length; index += 2) {
    block.push(0);
    for (const text of texts.slice(index, index + 2)) block.push(text.length, ...Buffer.from(text, 'latin1'));
  }
  return encodeFrame(FRAME_HEADERS, FLAG_END_HEADERS | flags, stream, Buffer.from(block));
}
