/** A neighbour that does nothing but PING: how long the satellite takes to answer somebody who asks for little. */
import { connect, type Socket } from 'node:net';
import { systemClock } from '../src/base/index.js';
import {
  encodeConnectionStart,
  encodeFrame,
  FLAG_ACK,
  FRAME_PING,
  FRAME_SETTINGS,
} from '../src/lab/fleet/http2-bytes.js';

/** @units ms */
const EVERY_MS = 10;
const FRAME_HEADER_BYTES = 9;

export class PingProbe {
  private readonly socket: Socket;
  private times: number[] = [];
  private sentMs = 0;
  private unread: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.read(chunk);
    });
    this.socket.write(encodeConnectionStart());
    this.ping();
  }

  /** Round trips since the last call, in ms, shortest first. */
  take(): number[] {
    const times = this.times.sort((left, right) => left - right);
    this.times = [];
    return times;
  }

  close(): void {
    this.socket.destroy();
  }

  private ping(): void {
    this.sentMs = systemClock.now();
    if (this.socket.writable) this.socket.write(encodeFrame(FRAME_PING, 0, 0, Buffer.alloc(8)));
  }

  private read(chunk: Buffer): void {
    this.unread = Buffer.concat([this.unread, chunk]);
    while (this.unread.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + this.unread.readUIntBE(0, 3);
      if (this.unread.length < end) return;
      const isAck = (this.unread[4]! & FLAG_ACK) !== 0;
      if (this.unread[3] === FRAME_PING && isAck) this.onAnswer();
      if (this.unread[3] === FRAME_SETTINGS && !isAck)
        this.socket.write(encodeFrame(FRAME_SETTINGS, FLAG_ACK, 0, Buffer.alloc(0)));
      this.unread = this.unread.subarray(end);
    }
  }

  private onAnswer(): void {
    this.times.push(systemClock.now() - this.sentMs);
    systemClock.setTimer(EVERY_MS, () => {
      this.ping();
    });
  }
}
