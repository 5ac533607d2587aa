/** An engine's bytes, in and out as a transport moves them: both in memory that is used again at once. */
import type { Http2Connection } from '../../src/net/http2/index.js';

const ROOM = new Uint8Array(1024 * 1024);

/** A copy of what the engine has to say. */
export function takeOutput(engine: Http2Connection, roomBytes = ROOM.length): Buffer {
  const taken = Buffer.from(engine.takeOutput(ROOM.subarray(0, roomBytes)));
  ROOM.fill(0xdb, 0, taken.length);
  return taken;
}

/** Gives the engine a chunk, and overwrites it: whoever keeps a view of it gets rubbish. */
export function lendChunk(engine: Http2Connection, bytes: Uint8Array, nowMs = 0): void {
  const chunk = Uint8Array.from(bytes);
  engine.receive(chunk, nowMs);
  chunk.fill(0xdb);
}
