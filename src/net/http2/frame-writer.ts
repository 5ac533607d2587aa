/** HOT. Writes whole frames, all but DATA. @source RFC 9113 §6. */
import { HpackEncoder } from '../hpack/index.js';
import type { HeaderFields } from './contract.js';
import {
  FLAG_ACK,
  FLAG_END_HEADERS,
  FLAG_END_STREAM,
  FRAME_CONTINUATION,
  FRAME_GOAWAY,
  FRAME_HEADERS,
  FRAME_PING,
  FRAME_RST_STREAM,
  FRAME_SETTINGS,
  FRAME_WINDOW_UPDATE,
} from './frame.js';
import type { Output } from './output.js';

/** Debug text of GOAWAY beyond this is cut: it is for a person's eye. */
const MAX_DEBUG_BYTES = 256;

export class FrameWriter {
  readonly encoder = new HpackEncoder();
  private readonly output: Output;

  constructor(output: Output) {
    this.output = output;
  }

  writeSettings(payload: Uint8Array): void {
    this.output.writeFrameHeader(payload.length, FRAME_SETTINGS, 0, 0);
    this.output.copy(payload, 0, payload.length);
  }

  writeSettingsAck(): void {
    this.output.writeFrameHeader(0, FRAME_SETTINGS, FLAG_ACK, 0);
  }

  /** A PING with the 8 bytes at `bytes[start]`. */
  writePing(bytes: Uint8Array, start: number, isAck: boolean): void {
    this.output.writeFrameHeader(8, FRAME_PING, isAck ? FLAG_ACK : 0, 0);
    this.output.copy(bytes, start, start + 8);
  }

  writeGoAway(lastStreamId: number, errorCode: number, debug: string): void {
    const text = Buffer.from(debug, 'utf8').subarray(0, MAX_DEBUG_BYTES);
    this.output.writeFrameHeader(8 + text.length, FRAME_GOAWAY, 0, 0);
    this.output.writeU32(lastStreamId);
    this.output.writeU32(errorCode);
    this.output.copy(text, 0, text.length);
  }

  writeReset(streamId: number, errorCode: number): void {
    this.output.writeFrameHeader(4, FRAME_RST_STREAM, 0, streamId);
    this.output.writeU32(errorCode);
  }

  writeWindowUpdate(streamId: number, increment: number): void {
    this.output.writeFrameHeader(4, FRAME_WINDOW_UPDATE, 0, streamId);
    this.output.writeU32(increment);
  }

  /** One header block, in as many frames as the peer's frame size asks for. */
  writeHeaders(streamId: number, headers: HeaderFields, endStream: boolean, maxFrameBytes: number): void {
    const block = this.encoder.encode(headers);
    let type = FRAME_HEADERS;
    let flags = endStream ? FLAG_END_STREAM : 0;
    let at = 0;
    do {
      const next = block.length - at > maxFrameBytes ? at + maxFrameBytes : block.length;
      if (next === block.length) flags |= FLAG_END_HEADERS;
      this.output.writeFrameHeader(next - at, type, flags, streamId);
      this.output.copy(block, at, next);
      type = FRAME_CONTINUATION;
      flags = 0;
      at = next;
    } while (at < block.length);
  }
}
