/** HOT. Cutting ranges out of a message, and copying ranges of it, over its slices. */
import type { Message } from '../../net/grpc/contract.js';
import { SlicedMessage } from '../../net/grpc/sliced-message.js';

/** A range of absolute positions: from `start`, before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * `message` without `ranges`, which are ascending and do not overlap. What remains is copied when it is less than half
 * of the memory that its slices would keep alive.
 */
export function cutRanges(message: Message, ranges: readonly Range[]): SlicedMessage {
  const parts: Uint8Array[] = [];
  let from = 0;
  let length = message.length;
  for (let index = 0; index < ranges.length; index++) {
    const range = ranges[index]!;
    pushSlices(parts, message.parts, from, range.start);
    length -= range.end - range.start;
    from = range.end;
  }
  pushSlices(parts, message.parts, from, message.length);
  if (length * 2 >= message.pinnedBytes) return new SlicedMessage(parts, length, message.pinnedBytes);
  if (length === 0) return new SlicedMessage([], 0, 0);
  const owned = Buffer.allocUnsafeSlow(length);
  copyParts(parts, owned);
  return new SlicedMessage([owned], length, length);
}

/** Copies [start, end) of `message` into `target` at `offset`. */
export function copyRange(message: Message, start: number, end: number, target: Uint8Array, offset: number): void {
  let partStart = 0;
  let at = offset;
  for (let index = 0; index < message.parts.length && partStart < end; index++) {
    const part = message.parts[index]!;
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
  let partStart = 0;
  let at = offset;
  for (let index = 0; index < message.parts.length && partStart < end; index++) {
    const part = message.parts[index]!;
    const to = Math.min(end - partStart, part.length);
    for (let from = Math.max(start - partStart, 0); from < to; from++) {
      if (part[from] !== bytes[at++]) return false;
    }
    partStart += part.length;
  }
  return true;
}

function pushSlices(into: Uint8Array[], parts: readonly Uint8Array[], start: number, end: number): void {
  let partStart = 0;
  for (let index = 0; index < parts.length && partStart < end; index++) {
    const part = parts[index]!;
    const from = Math.max(start - partStart, 0);
    const to = Math.min(end - partStart, part.length);
    if (from < to) into.push(from === 0 && to === part.length ? part : part.subarray(from, to));
    partStart += part.length;
  }
}

function copyParts(parts: readonly Uint8Array[], target: Uint8Array): void {
  let at = 0;
  for (let index = 0; index < parts.length; index++) {
    target.set(parts[index]!, at);
    at += parts[index]!.length;
  }
}
