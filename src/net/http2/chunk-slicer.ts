/**
 * HOT. Cuts payload out of the chunk being read, and says what keeping a slice costs.
 *
 * @ownership A slice is a view of the chunk, so keeping it keeps the whole chunk alive. A chunk's bytes are therefore
 * charged to its slices: each pays for itself and for what lies between it and the slice before it (frame headers, other
 * frames, slices that were copied). So a chunk full of small messages, which are kept and let go together, costs each its
 * share, while a few bytes behind kilobytes of something else would pay for all that: those are copied instead.
 */
import { Slab } from './slab.js';

/**
 * Copied if it would pay for at least so many times its size. Measured: copying every small slice costs 0.2-0.5 µs a
 * message and holds no less memory, for what shares a chunk is mostly kept equally long.
 */
const COPY_RATIO = 8;
/** Larger ones are never copied: what a chunk of 64 KiB holds beside them is at most worth COPY_RATIO of them. */
const COPY_MAX_BYTES = 8192;

const COPIES = new Slab();

export class ChunkSlicer {
  /** What keeping the last slice costs. @units bytes */
  pinnedBytes = 0;
  private chargedTo = 0;
  private slackBytes = 0;

  /** A new chunk; memory behind it that is not part of it (a larger read buffer) is charged to its first slice. */
  begin(chunk: Uint8Array): void {
    this.chargedTo = 0;
    this.slackBytes = chunk.buffer.byteLength - chunk.length;
  }

  /** The bytes `[start, end)` as a view or a copy; sets `pinnedBytes`. */
  slice(chunk: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start;
    const view = chunk.subarray(start, end);
    const charge = end - this.chargedTo + this.slackBytes;
    if (charge >= length * COPY_RATIO && length <= COPY_MAX_BYTES) {
      this.pinnedBytes = length;
      return COPIES.copy(view);
    }
    this.pinnedBytes = charge;
    this.chargedTo = end;
    this.slackBytes = 0;
    return view;
  }
}
