/** One connection of an attacker: says what it is told to, as fast as the other side takes it, and begins anew when cut off. */
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../src/base/index.js';
import { encodeFrame, FLAG_END_HEADERS, FRAME_HEADERS, FRAME_SETTINGS } from '../../src/lab/fleet/http2-bytes.js';
import { HpackEncoder } from '../../src/net/hpack/index.js';
import { CLIENT_PREFACE } from '../../src/net/http2/index.js';

/** What an attacker does on a connection. */
export interface Script {
  readonly title: string;
  /** Of its first SETTINGS frame: id and value, in turn. */
  readonly settings?: readonly number[];
  /** Never looks at what comes back. */
  readonly isDeaf?: boolean;
  /** Between two rounds; 0: at once, whenever the socket takes more. @units ms */
  readonly everyMs: number;
  /** What it says in a round, from 0 on; null: hangs up (RST) and begins anew. */
  readonly say: (connection: HostileConnection, round: number) => Uint8Array | null;
}

export class HostileConnection {
  private readonly port: number;
  private readonly script: Script;
  private encoder = new HpackEncoder();
  private socket: Socket | null = null;
  private round = 0;

  constructor(port: number, script: Script) {
    this.port = port;
    this.script = script;
    this.begin();
  }

  /** HEADERS that open a stream. */
  headers(streamId: number, path: string, extra: readonly string[] = []): Buffer {
    const request = [':method', 'POST', ':scheme', 'http', ':path', path, ':authority', 'x', 'te', 'trailers'];
    const fields = [...request, 'content-type', 'application/grpc', ...extra];
    return encodeFrame(FRAME_HEADERS, FLAG_END_HEADERS, streamId, Uint8Array.from(this.encoder.encode(fields)));
  }

  private begin(): void {
    const socket = connect({ host: '127.0.0.1', port: this.port, noDelay: true });
    this.socket = socket;
    this.encoder = new HpackEncoder();
    this.round = 0;
    if (this.script.isDeaf === true) socket.pause();
    else socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      setImmediate(() => {
        this.begin();
      });
    });
    socket.on('connect', () => {
      socket.write(Buffer.concat([CLIENT_PREFACE, settingsFrame(this.script.settings ?? [])]));
      this.goOn(socket);
    });
  }

  private goOn(socket: Socket): void {
    if (socket !== this.socket || !socket.writable) return;
    const bytes = this.script.say(this, this.round++);
    if (bytes === null) {
      socket.resetAndDestroy();
      return;
    }
    const again = (): void => {
      this.goOn(socket);
    };
    if (!socket.write(bytes)) socket.once('drain', again);
    else if (this.script.everyMs > 0) systemClock.setTimer(this.script.everyMs, again);
    else setImmediate(again);
  }
}

function settingsFrame(values: readonly number[]): Buffer {
  const payload = Buffer.alloc(values.length * 3);
  for (let index = 0; index < values.length; index += 2) {
    payload.writeUInt16BE(values[index]!, index * 3);
    payload.writeUInt32BE(values[index + 1]!, index * 3 + 2);
  }
  return encodeFrame(FRAME_SETTINGS, 0, 0, payload);
}
