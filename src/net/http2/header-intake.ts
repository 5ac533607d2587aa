/**
 * HOT. Header blocks of the peer: from HEADERS and CONTINUATION to a request, a response or trailers, or to the right error.
 * @source RFC 9113 §4.3, §6.2, §6.10, §8.1.
 */
import { HPACK_LIST_BOMB, HPACK_LIST_TOO_LARGE, HPACK_OK, HpackDecoder, hpackErrorOf } from '../hpack/index.js';
import type { HeaderFields, Http2StreamEvents } from './contract.js';
import type { ConnectionCore } from './core.js';
import {
  H2_COMPRESSION_ERROR,
  H2_ENHANCE_YOUR_CALM,
  H2_PROTOCOL_ERROR,
  H2_REFUSED_STREAM,
  H2_STREAM_CLOSED,
} from './errors.js';
import { GUARDS, MAX_BLOCK_RATIO, MAX_CONTINUATIONS } from './flood-guard.js';
import { FLAG_END_HEADERS, FLAG_END_STREAM, FLAG_PADDED, FLAG_PRIORITY, MAX_U31, readU32 } from './frame.js';
import { HeaderBlock } from './header-block.js';
import { contentLengthOf, findMalformed, REQUEST, RESPONSE, statusOf, TRAILERS } from './header-rules.js';
import { PROTOCOL_TABLE_BYTES } from './settings.js';
import { HALF_CLOSED_REMOTE, Http2Stream } from './stream.js';

/** A stream's events until its receiver has set its own, and for receivers that set none. */
const NO_EVENTS: Http2StreamEvents = {
  onHeaders: () => undefined,
  onData: () => undefined,
  onReset: () => undefined,
  onDrain: () => undefined,
};

export class HeaderIntake {
  private readonly core: ConnectionCore;
  private readonly decoder = new HpackDecoder(PROTOCOL_TABLE_BYTES);
  private readonly block = new HeaderBlock();

  constructor(core: ConnectionCore) {
    this.core = core;
  }

  /** The stream whose block is incomplete, so that only CONTINUATION may follow; 0: none. */
  get pendingStreamId(): number {
    return this.block.streamId;
  }

  /** Our HEADER_TABLE_SIZE came into force. */
  setTableLimit(bytes: number): void {
    this.decoder.setTableLimit(bytes);
  }

  onHeaders(streamId: number, flags: number, bytes: Uint8Array, start: number, end: number): void {
    let from = start;
    let padding = 0;
    let dependency = 0;
    if ((flags & FLAG_PADDED) !== 0) padding = from < end ? bytes[from++]! : 1;
    if ((flags & FLAG_PRIORITY) !== 0) {
      if (end - from >= 5) dependency = readU32(bytes, from) & MAX_U31;
      from += 5;
    }
    if (from + padding > end) {
      this.core.fail(H2_PROTOCOL_ERROR, 'HEADERS shorter than its padding and priority');
      return;
    }
    const to = end - padding;
    const endStream = (flags & FLAG_END_STREAM) !== 0;
    const dependsOnItself = dependency === streamId;
    if ((flags & FLAG_END_HEADERS) !== 0) {
      this.onBlock(streamId, endStream, dependsOnItself, bytes, from, to);
      return;
    }
    this.block.begin(streamId, endStream, dependsOnItself);
    this.block.append(bytes, from, to);
  }

  onContinuation(flags: number, bytes: Uint8Array, start: number, end: number): void {
    const block = this.block;
    if (++block.continuations > MAX_CONTINUATIONS) {
      this.core.trip(GUARDS.continuation);
      return;
    }
    if (block.length + end - start > this.core.settings.maxHeaderListBytes * MAX_BLOCK_RATIO) {
      this.core.trip(GUARDS.headerBlock);
      return;
    }
    block.append(bytes, start, end);
    if ((flags & FLAG_END_HEADERS) === 0) return;
    const streamId = block.streamId;
    const joined = block.bytes;
    const length = block.length;
    block.clear();
    this.onBlock(streamId, block.endStream, block.dependsOnItself, joined, 0, length);
  }

  /** A whole header block. It is decoded whatever becomes of its stream, for the table must stay in step. */
  private onBlock(
    streamId: number,
    endStream: boolean,
    dependsOnItself: boolean,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const fields: string[] = [];
    const outcome = this.decoder.decode(bytes, start, end, fields, this.core.settings.maxHeaderListBytes);
    if (outcome < HPACK_OK) {
      this.core.fail(H2_COMPRESSION_ERROR, hpackErrorOf(outcome).code);
      return;
    }
    if (outcome === HPACK_LIST_BOMB) {
      this.core.trip(GUARDS.headerList);
      return;
    }
    const stream = this.core.streams.get(streamId);
    if (stream === undefined && !this.core.streams.isNew(streamId)) {
      this.core.onFrameOfClosed(streamId, true);
      return;
    }
    if (stream === undefined) {
      this.core.streams.lastPeerId = streamId;
      if (this.core.isBeyondGoAway(streamId)) return;
    }
    if (stream !== undefined && stream.state >= HALF_CLOSED_REMOTE) {
      this.core.failStream(streamId, H2_STREAM_CLOSED, 'HEADERS after END_STREAM');
    } else if (dependsOnItself) {
      this.core.failStream(streamId, H2_PROTOCOL_ERROR, 'a stream that depends on itself');
    } else if (outcome === HPACK_LIST_TOO_LARGE) {
      this.core.failStream(streamId, H2_ENHANCE_YOUR_CALM, 'a header list above our limit');
    } else if (stream === undefined) this.onRequest(streamId, fields, endStream);
    else if (stream.hasHeaders) this.onTrailers(stream, fields, endStream);
    else this.onResponse(stream, fields, endStream);
  }

  private onRequest(streamId: number, fields: HeaderFields, endStream: boolean): void {
    const malformed = findMalformed(fields, REQUEST);
    const contentLength = contentLengthOf(fields);
    if (malformed !== '' || contentLength < -1 || (endStream && contentLength > 0)) {
      this.core.failStream(streamId, H2_PROTOCOL_ERROR, malformed === '' ? 'a wrong content-length' : malformed);
      return;
    }
    if (this.core.streams.size >= this.core.settings.maxConcurrentStreams) {
      this.core.failStream(streamId, H2_REFUSED_STREAM, 'more streams than we allow');
      return;
    }
    const stream = new Http2Stream(
      streamId,
      this.core,
      NO_EVENTS,
      this.core.peer.streamWindowBytes,
      this.core.streamWindowBytes,
    );
    stream.hasHeaders = true;
    stream.contentLeft = contentLength;
    if (endStream) stream.state = HALF_CLOSED_REMOTE;
    this.core.streams.add(stream);
    this.core.events.onStream(stream, fields, endStream);
  }

  private onResponse(stream: Http2Stream, fields: HeaderFields, endStream: boolean): void {
    const malformed = findMalformed(fields, RESPONSE);
    if (malformed !== '') {
      this.core.failStream(stream.id, H2_PROTOCOL_ERROR, malformed);
      return;
    }
    const status = statusOf(fields);
    if (status < 200) {
      // Interim responses are of no use to us; 101 does not exist in HTTP/2.
      if (endStream || status === 101) this.core.failStream(stream.id, H2_PROTOCOL_ERROR, 'a wrong interim response');
      return;
    }
    stream.contentLeft = contentLengthOf(fields);
    if (stream.contentLeft < -1 || (endStream && stream.contentLeft > 0)) {
      this.core.failStream(stream.id, H2_PROTOCOL_ERROR, 'a wrong content-length');
      return;
    }
    stream.hasHeaders = true;
    this.deliverHeaders(stream, fields, endStream, false);
  }

  private onTrailers(stream: Http2Stream, fields: HeaderFields, endStream: boolean): void {
    let malformed = findMalformed(fields, TRAILERS);
    if (!endStream) malformed = 'trailers without END_STREAM';
    else if (stream.contentLeft > 0) malformed = 'content-length does not match';
    if (malformed !== '') this.core.failStream(stream.id, H2_PROTOCOL_ERROR, malformed);
    else this.deliverHeaders(stream, fields, true, true);
  }

  private deliverHeaders(stream: Http2Stream, fields: HeaderFields, endStream: boolean, isTrailers: boolean): void {
    if (endStream) stream.endRemote();
    stream.events.onHeaders(stream, fields, endStream, isTrailers);
    if (endStream) this.core.releaseIfEnded(stream);
  }
}
