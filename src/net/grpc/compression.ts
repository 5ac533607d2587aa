/**
 * Message compression: gzip and deflate (zlib format), each way.
 *
 * Inflating small messages happens in the turn, up to an output that costs about as much as a large read; whatever turns
 * out larger goes through a stream on the thread pool, where the output is counted as it grows: a bomb is stopped at the
 * limit, not after it.
 */
import { createGunzip, createInflate, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import type { Message } from './contract.js';
import { SlicedMessage, takeBytes } from './sliced-message.js';
import type { ReassemblyMeter } from './reassembly-meter.js';
import { GRPC_STATUS } from './status.js';

export type Encoding = 'identity' | 'gzip' | 'deflate';

/** Value of grpc-accept-encoding. */
export const ACCEPTED_ENCODINGS = 'identity,deflate,gzip';

/** Compressed bytes that may be inflated in the turn. */
const SMALL_COMPRESSED_BYTES = 64 * 1024;
/** Output at which inflating in the turn is given up: about 3 ms of one core. */
const SMALL_INFLATED_BYTES = 1024 * 1024;
const STREAM_CHUNK_BYTES = 64 * 1024;
/** Telemetry compresses well at any level; higher ones cost several times the CPU for a few percent. */
const LEVEL = 1;

/** The encoding named by a grpc-encoding header, or null when it is none of ours. */
export function encodingOf(header: string | undefined): Encoding | null {
  if (header === undefined || header === 'identity') return 'identity';
  return header === 'gzip' || header === 'deflate' ? header : null;
}

/** Compresses one message. */
export function compress(encoding: Encoding, parts: readonly Uint8Array[]): Uint8Array {
  const bytes = join(parts);
  return encoding === 'gzip' ? gzipSync(bytes, { level: LEVEL }) : deflateSync(bytes, { level: LEVEL });
}

/** Gets the outcome of `inflate`, at once or in a later turn. */
export interface InflateListener {
  onInflated(message: Message): void;
  /** `status` is the gRPC status that the call must end with. */
  onInflateFailed(status: number, text: string): void;
}

/**
 * Inflates one message and tells `listener`. @ownership takes over the message.
 * @returns a function that abandons the work, when the outcome comes in a later turn; null when it came already.
 */
export function inflate(
  encoding: Encoding,
  message: Message,
  limitBytes: number,
  meter: ReassemblyMeter,
  listener: InflateListener,
): (() => void) | null {
  if (message.length === 0) {
    listener.onInflated(message);
    return null;
  }
  if (encoding === 'identity') {
    message.release();
    listener.onInflateFailed(GRPC_STATUS.INTERNAL, 'compressed message without a grpc-encoding header');
    return null;
  }
  if (message.length <= SMALL_COMPRESSED_BYTES) {
    const outcome = inflateNow(encoding, message, Math.min(limitBytes, SMALL_INFLATED_BYTES));
    if (outcome instanceof SlicedMessage) {
      message.release();
      listener.onInflated(outcome);
      return null;
    }
    if (outcome === 'corrupt' || limitBytes <= SMALL_INFLATED_BYTES) {
      message.release();
      if (outcome === 'corrupt') listener.onInflateFailed(GRPC_STATUS.INTERNAL, corruptText(encoding));
      else listener.onInflateFailed(GRPC_STATUS.RESOURCE_EXHAUSTED, tooLargeText(message, limitBytes));
      return null;
    }
  }
  return inflateStreaming(encoding, message, limitBytes, meter, listener);
}

function inflateNow(encoding: Encoding, message: Message, limitBytes: number): Message | 'corrupt' | 'large' {
  try {
    const run = encoding === 'gzip' ? gunzipSync : inflateSync;
    let bytes: Uint8Array = run(join(message.parts), { maxOutputLength: limitBytes });
    // zlib's output buffers are 16 KiB or more: a small message must not pin one.
    if (bytes.buffer.byteLength > 2 * bytes.length) bytes = new Uint8Array(bytes);
    return new SlicedMessage([bytes], bytes.length, bytes.buffer.byteLength);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : 'corrupt';
  }
}

function inflateStreaming(
  encoding: Encoding,
  message: Message,
  limitBytes: number,
  meter: ReassemblyMeter,
  listener: InflateListener,
): () => void {
  const stream =
    encoding === 'gzip'
      ? createGunzip({ chunkSize: STREAM_CHUNK_BYTES })
      : createInflate({ chunkSize: STREAM_CHUNK_BYTES });
  const parts: Uint8Array[] = [];
  let length = 0;
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    meter.release(length);
    stream.destroy();
  };
  const fail = (status: number, text: string): void => {
    if (isOver) return;
    finish();
    listener.onInflateFailed(status, text);
  };
  stream.on('data', (chunk: Uint8Array) => {
    if (isOver) return;
    parts.push(chunk);
    length += chunk.length;
    const fits = meter.charge(chunk.length, length);
    if (length > limitBytes) fail(GRPC_STATUS.RESOURCE_EXHAUSTED, tooLargeText(message, limitBytes));
    else if (!fits) fail(GRPC_STATUS.RESOURCE_EXHAUSTED, overBudgetText(meter));
  });
  stream.on('error', () => {
    fail(GRPC_STATUS.INTERNAL, corruptText(encoding));
  });
  stream.on('end', () => {
    if (isOver) return;
    finish();
    listener.onInflated(new SlicedMessage(parts, length, length));
  });
  // A copy: the thread pool may still read what was abandoned.
  stream.end(takeBytes(message));
  return () => {
    if (!isOver) finish();
  };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

function corruptText(encoding: Encoding): string {
  return `message is not valid ${encoding}`;
}

function tooLargeText(message: Message, limitBytes: number): string {
  return `message of ${String(message.length)} compressed bytes inflates to more than the limit of ${String(limitBytes)} bytes`;
}

/** Text for a call that met the meter's limit. */
export function overBudgetText(meter: ReassemblyMeter): string {
  return `unfinished messages of all calls hold ${String(meter.usedBytes)} bytes, the limit is ${String(meter.limitBytes)}`;
}
