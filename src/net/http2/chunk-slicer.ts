/**
 * HOT. Cuts payload out of the chunk being read, and says what keeping a slice costs.
 *
 * @ownership A slice is a view of the chunk, so keeping it keeps the whole chunk alive. A chunk's bytes are therefore
 * charged to its slices: each pays for itself and for what lies between it and the slice before it (frame headers, other
 * frames, slices that were copied). The sum over a chunk is its memory, whatever the mix. A slice that is small both by
 * itself and beside its chunk is copied instead, so that a few bytes held long do not pin 64 KiB.
 */
import { Slab } from './slab.js';

/** Above this, a copy costs more than the bookkeeping it saves. */
const COPY_MAX_BYTES = 1024;
/** Copied only if the chunk is at least so many times larger. */
const COPY_MIN_RATIO = 8;

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
    if (length <= COPY_MAX_BYTES && length * COPY_MIN_RATIO <= chunk.buffer.byteLength) {
      this.pinnedBytes = length;
      return COPIES.copy(view);
    }
    this.pinnedBytes = end - this.chargedTo + this.slackBytes;
    this.chargedTo = end;
    this.slackBytes = 0;
    return view;
  }
}
