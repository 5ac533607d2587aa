import type { Message } from './contract.js';

/** HOT. A message as slices of what was read. The one class of messages, so that call sites on their way see one shape. */
export class SlicedMessage implements Message {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  readonly pinnedBytes: number;

  constructor(parts: readonly Uint8Array[], length: number, pinnedBytes: number) {
    this.parts = parts;
    this.length = length;
    this.pinnedBytes = pinnedBytes;
  }
}
