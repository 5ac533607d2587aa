/** HOT. Cutting ranges out of a message, and copying ranges of it, over its parts. */
import type { Message } from '../../net/grpc/contract.js';
import { SlicedMessage } from '../../net/grpc/sliced-message.js';

/** A range of absolute positions: from `start`, before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts `ranges`, which are ascending and do not overlap, out of `message`. What remains is moved together within its own
 * memory, or, when it lies in several parts, into new memory.
 * @ownership takes over the message; the result may be the same.
 */
export function cutRanges(message: Message, ranges: readonly Range[]): Message {
  let length = message.length;
  for (let index = 0; index < ranges.length; index++) length -= ranges[index]!.end - ranges[index]!.start;
  const { parts } = message;
  const isOnePart = parts.length === 1;
  const target = isOnePart ? parts[0]! : new Uint8Array(length);
  let from = 0;
  let at = 0;
  for (let index = 0; index <= ranges.length; index++) {
    const to = index < ranges.length ? ranges[index]!.start : message.length;
    if (isOnePart) target.copyWithin(at, from, to);
    else copyRange(message, from, to, target, at);
    at += to - from;
    if (index < ranges.length) from = ranges[index]!.end;
  }
  if (isOnePart) {
    message.shrink(length);
    return message;
  }
  message.release();
  return new SlicedMessage(length === 0 ? [] : [target], length, length);
}

/** Copies [start, end) of `message` into `target` at `offset`. */
export function copyRange(message: Message, start: number, end: number, target: Uint8Array, offset: number): void {
  const { parts } = message;
  let partStart = 0;
  let at = offset;
  for (let index = 0; index < parts.length && partStart < end; index++) {
    const part = parts[index]!;
    const from = Math.max(start - partStart, 0);
    const to = Math.min(end - partStart, part.length);
    if (from < to) {
      target.set(from === 0 && to === part.length ? part : part.subarray(from, to), at);
      at += to - from;
    }
    partStart += part.length;
  }
}

/** Whether [start, end) of `message` is equal to the tail of `bytes` that begins at `offset`. */
export function equalsRange(message: Message, start: number, end: number, bytes: Uint8Array, offset: number): boolean {
  if (bytes.length - offset !== end - start) return false;
  const { parts } = message;
  let partStart = 0;
  let at = offset;
  for (let index = 0; index < parts.length && partStart < end; index++) {
    const part = parts[index]!;
    const to = Math.min(end - partStart, part.length);
    for (let from = Math.max(start - partStart, 0); from < to; from++) {
      if (part[from] !== bytes[at++]) return false;
    }
    partStart += part.length;
  }
  return true;
}
