/**
 * HOT. The streams of a connection: those open, and in bounded memory what is known of those gone, enough to tell frames
 * that were on their way when we reset a stream (harmless) from frames after an orderly end (an error).
 * @source RFC 9113 §5.1, §5.1.1.
 */
import type { Http2Stream } from './stream.js';

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

export class StreamTable {
  /** Highest id the peer opened. */
  lastPeerId = 0;
  /** Highest id we opened. */
  lastOwnId = 0;
  private readonly isServer: boolean;
  private readonly open = new Map<number, Http2Stream>();
  // Ids in rings, made when first needed; 0 is no stream. A reset by the peer is stored negative.
  private resets = NONE;
  private resetCount = 0;
  private ends = NONE;
  private endCount = 0;

  constructor(isServer: boolean) {
    this.isServer = isServer;
  }

  get size(): number {
    return this.open.size;
  }

  get(streamId: number): Http2Stream | undefined {
    return this.open.get(streamId);
  }

  add(stream: Http2Stream): void {
    this.open.set(stream.id, stream);
  }

  /** Forgets an open stream but for how it closed. @returns false if it was not open. */
  remove(streamId: number, how: number): boolean {
    if (!this.open.delete(streamId)) return false;
    this.remember(streamId, how);
    return true;
  }

  /** The open streams as they are now, for loops that may close some. */
  list(): Http2Stream[] {
    return [...this.open.values()];
  }

  /** The open streams, for loops that close none. */
  all(): Iterable<Http2Stream> {
    return this.open.values();
  }

  /** The peer may open this stream now. */
  isNew(streamId: number): boolean {
    return this.isServer && (streamId & 1) === 1 && streamId > this.lastPeerId;
  }

  /** Never opened so far. Even ids are the server's, which would need push. */
  isIdle(streamId: number): boolean {
    return (streamId & 1) === 0 || streamId > (this.isServer ? this.lastPeerId : this.lastOwnId);
  }

  /** Notes how a stream closed that has no object. */
  remember(streamId: number, how: number): void {
    if (how === ENDED) {
      if (this.ends.length === 0) this.ends = new Int32Array(REMEMBERED_ENDS);
      this.ends[this.endCount++ & (REMEMBERED_ENDS - 1)] = streamId;
    } else {
      if (this.resets.length === 0) this.resets = new Int32Array(REMEMBERED_RESETS);
      this.resets[this.resetCount++ & (REMEMBERED_RESETS - 1)] = how === RESET_BY_US ? streamId : -streamId;
    }
  }

  /** How a stream that is neither open nor idle closed, as far as we remember. */
  recall(streamId: number): number {
    if (this.resets.includes(streamId)) return RESET_BY_US;
    if (this.resets.includes(-streamId)) return RESET_BY_PEER;
    return this.ends.includes(streamId) ? ENDED : FORGOTTEN;
  }
}
