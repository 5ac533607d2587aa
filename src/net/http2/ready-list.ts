/** HOT. The streams that have bytes and credit to send them, in turn; a list through the streams, so it costs nothing. */
import type { Http2Stream } from './stream.js';

export class ReadyList {
  head: Http2Stream | null = null;
  private tail: Http2Stream | null = null;

  /** Appends the stream unless it is in the list. */
  add(stream: Http2Stream): void {
    if (stream.isReady) return;
    stream.isReady = true;
    stream.previousReady = this.tail;
    if (this.tail === null) this.head = stream;
    else this.tail.nextReady = stream;
    this.tail = stream;
  }

  /** Takes the stream out if it is in the list. */
  remove(stream: Http2Stream): void {
    if (!stream.isReady) return;
    stream.isReady = false;
    if (stream.previousReady === null) this.head = stream.nextReady;
    else stream.previousReady.nextReady = stream.nextReady;
    if (stream.nextReady === null) this.tail = stream.previousReady;
    else stream.nextReady.previousReady = stream.previousReady;
    stream.nextReady = null;
    stream.previousReady = null;
  }
}
