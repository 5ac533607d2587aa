/**
 * What a connection remembers of streams that are gone, in bounded memory: enough to tell frames that were on their way
 * when we reset a stream (harmless) from frames after an orderly end (an error). Empty until a stream has closed.
 * @source RFC 9113 §5.1 "closed".
 */

/** Both sides ended it. */
export const ENDED = 1;
export const RESET_BY_US = 2;
export const RESET_BY_PEER = 3;
/** Closed long ago, or skipped by the peer. */
export const FORGOTTEN = 0;

/** Late frames come within a round trip; a peer has hardly more streams in doubt at once. */
const REMEMBERED_RESETS = 64;
/** Ends are told apart only to name the right error. */
const REMEMBERED_ENDS = 16;
const NONE = new Int32Array(0);

export class ClosedStreams {
  // Ids in rings; 0 is no stream. A reset by the peer is stored negative.
  private resets = NONE;
  private resetCount = 0;
  private ends = NONE;
  private endCount = 0;

  remember(streamId: number, how: number): void {
    if (how === ENDED) {
      if (this.ends.length === 0) this.ends = new Int32Array(REMEMBERED_ENDS);
      this.ends[this.endCount++ & (REMEMBERED_ENDS - 1)] = streamId;
    } else {
      if (this.resets.length === 0) this.resets = new Int32Array(REMEMBERED_RESETS);
      this.resets[this.resetCount++ & (REMEMBERED_RESETS - 1)] = how === RESET_BY_US ? streamId : -streamId;
    }
  }

  /** How a stream that was once open closed, as far as we remember. */
  recall(streamId: number): number {
    if (this.resets.includes(streamId)) return RESET_BY_US;
    if (this.resets.includes(-streamId)) return RESET_BY_PEER;
    return this.ends.includes(streamId) ? ENDED : FORGOTTEN;
  }
}
