/**
 * Reads from connections that it opens, in one of the ways that node offers, and holds what it got for a while, as windows
 * and the queue do.
 *
 *     fresh   'data' events: node allocates a buffer for every read, and hands it over
 *     copied  one buffer takes every read of all sockets (`onread`); what came is copied into a slab
 *
 * Usage: node chunk-reader.js --mode MODE --port N --connections N --read-bytes N --slab-bytes N --hold-ms N; ends with its
 * standard input and says then how many bytes and chunks it got.
 */
import { connect } from 'node:net';
import { parseArgs } from 'node:util';
import { Ring, systemClock } from '../../src/base/index.js';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'fresh' },
    port: { type: 'string' },
    connections: { type: 'string', default: '150' },
    'read-bytes': { type: 'string', default: '65536' },
    'slab-bytes': { type: 'string', default: '262144' },
    'hold-ms': { type: 'string', default: '200' },
  },
});
const holdMs = Number(values['hold-ms']);
const slabBytes = Number(values['slab-bytes']);
/** Of all sockets: what comes is copied before the callback returns. */
const readBuffer = Buffer.allocUnsafeSlow(Number(values['read-bytes']));
const held = new Ring<Uint8Array>(1024);
const heldUntilMs = new Ring<number>(1024);
let slab: Uint8Array = Buffer.allocUnsafeSlow(slabBytes);
let slabUsed = 0;
let bytes = 0;
let chunks = 0;

function hold(chunk: Uint8Array): void {
  const nowMs = systemClock.now();
  while (held.length > 0 && heldUntilMs.peek()! <= nowMs) {
    held.shift();
    heldUntilMs.shift();
  }
  held.push(chunk);
  heldUntilMs.push(nowMs + holdMs);
  bytes += chunk.length;
  chunks++;
}

function copyOut(length: number): boolean {
  for (let at = 0; at < length;) {
    if (slabUsed === slabBytes) {
      slab = Buffer.allocUnsafeSlow(slabBytes);
      slabUsed = 0;
    }
    const part = readBuffer.subarray(at, Math.min(length, at + slabBytes - slabUsed));
    slab.set(part, slabUsed);
    hold(slab.subarray(slabUsed, slabUsed + part.length));
    slabUsed += part.length;
    at += part.length;
  }
  return true;
}

const onread = { buffer: readBuffer, callback: copyOut };
for (let number = 0; number < Number(values.connections); number++) {
  const address = { host: '127.0.0.1', port: Number(values.port) };
  const socket = connect(values.mode === 'copied' ? { ...address, onread } : address);
  if (values.mode === 'fresh') socket.on('data', hold);
  socket.on('error', () => undefined);
}
process.stdin.resume();
process.stdin.on('end', () => {
  process.stdout.write(`${bytes} ${chunks}\n`, () => process.exit(0));
});
