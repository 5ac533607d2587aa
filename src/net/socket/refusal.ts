/** Says goodbye to a connection that is over a limit: SETTINGS and GOAWAY with the reason, then FIN. */
import type { Socket } from 'node:net';
import type { Clock } from '../../base/index.js';
import { H2_NO_ERROR } from '../http2/errors.js';

const FRAME_HEADER_BYTES = 9;
const TYPE_SETTINGS = 4;
const TYPE_GOAWAY = 7;
/** Time for the client to read it: closing with unread input would reset the connection and lose the reason. */
const LINGER_MS = 1000;
/** More refused clients than this are not given time; what they hold are file descriptors. */
const MAX_LINGERING = 256;

/** Refused connections of one listener. */
export class Refusals {
  private readonly clock: Clock;
  private readonly lingering = new Set<Socket>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** NO_ERROR, and nothing processed: clients see UNAVAILABLE and may try another replica at once. */
  refuse(socket: Socket, reason: string): void {
    socket.on('error', () => undefined);
    if (this.lingering.size >= MAX_LINGERING) {
      socket.destroy();
      return;
    }
    this.lingering.add(socket);
    const timer = this.clock.setTimer(LINGER_MS, () => {
      socket.destroy();
    });
    socket.on('close', () => {
      timer.cancel();
      this.lingering.delete(socket);
    });
    socket.resume();
    socket.end(goAwayBytes(reason));
  }

  close(): void {
    for (const socket of this.lingering) socket.destroy();
  }
}

function goAwayBytes(reason: string): Buffer {
  const text = Buffer.from(reason, 'latin1');
  const bytes = Buffer.alloc(2 * FRAME_HEADER_BYTES + 8 + text.length);
  bytes.writeUInt8(TYPE_SETTINGS, 3);
  bytes.writeUIntBE(8 + text.length, FRAME_HEADER_BYTES, 3);
  bytes.writeUInt8(TYPE_GOAWAY, FRAME_HEADER_BYTES + 3);
  bytes.writeUInt32BE(H2_NO_ERROR, 2 * FRAME_HEADER_BYTES + 4);
  text.copy(bytes, 2 * FRAME_HEADER_BYTES + 8);
  return bytes;
}
