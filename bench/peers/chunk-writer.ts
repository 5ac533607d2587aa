/**
 * Writes messages to whoever connects, so many a second over all connections.
 * Usage: node chunk-writer.js --message-bytes N --per-second N; prints `listening PORT`; ends with its standard input.
 */
import { createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/index.js';

/** How finely the load is spread over time. @units ms */
const TICK_MS = 5;
/** Bytes that may wait in a socket: a reader that is too slow gets less, and the figures show it. */
const SOCKET_HIGH_MARK_BYTES = 1 << 20;

const { values } = parseArgs({
  options: {
    'message-bytes': { type: 'string', default: '16384' },
    'per-second': { type: 'string', default: '3000' },
  },
});
const message = Buffer.alloc(Number(values['message-bytes']), 'message ');
const perMs = Number(values['per-second']) / 1000;
const sockets: Socket[] = [];
let next = 0;
let due = 0;
let lastMs = systemClock.now();

function tick(): void {
  const nowMs = systemClock.now();
  due = Math.min(due + (nowMs - lastMs) * perMs, perMs * 250);
  lastMs = nowMs;
  for (; due >= 1 && sockets.length > 0; due--) {
    const socket = sockets[next++ % sockets.length]!;
    if (socket.writableLength < SOCKET_HIGH_MARK_BYTES) socket.write(message);
  }
  systemClock.setTimer(TICK_MS, tick);
}

const server = createServer({ noDelay: true }, (socket) => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.splice(sockets.indexOf(socket), 1));
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  process.stdout.write(`listening ${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => {
  process.exit(0);
});
tick();
