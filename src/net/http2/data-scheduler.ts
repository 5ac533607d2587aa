/**
 * HOT. Decides which stream's bytes leave next, and cuts them into DATA frames.
 *
 * Frames are cut when output is taken, not when data is given: so small messages of one turn share a frame, every byte not
 * yet on its way stays countable (`unsentBytes`), and control frames overtake. Streams take turns, one frame each.
 * @source RFC 9113 §5.2, §6.9.
 */
import { FLAG_END_STREAM, FRAME_DATA, FRAME_HEADER_BYTES } from './frame.js';
import type { Output } from './output.js';
import { ReadyList } from './ready-list.js';
import { PROTOCOL_FRAME_BYTES, PROTOCOL_WINDOW_BYTES } from './settings.js';
import type { Http2Stream } from './stream.js';

/** At or below this a stream that was above it asks for more. @units bytes */
export const SEND_LOW_MARK_BYTES = 64 << 10;
/**
 * Larger frames than this save nothing, and would make other streams wait, even if the peer allows them.
 */
const MAX_SENT_FRAME_BYTES = 64 << 10;
/** A frame is not cut smaller than this for want of room in one take. */
const LEAST_FRAME_BYTES = 4 << 10;

/** Who is told what was framed: the connection. */
export interface SchedulerEvents {
  /** The stream's queue is empty now. Trailers, END_STREAM bookkeeping and a waiting reset are due. */
  onQueueSent(stream: Http2Stream, isEndFramed: boolean): void;
  /** A DATA frame was cut. */
  onDataSent(stream: Http2Stream): void;
}

export class DataScheduler {
  /** Connection-level credit. */
  sendWindow = PROTOCOL_WINDOW_BYTES;
  /** False: the socket is full, no DATA is cut. */
  isWritable = true;
  private maxFrameBytes = PROTOCOL_FRAME_BYTES;
  private readonly output: Output;
  private readonly events: SchedulerEvents;
  private readonly ready = new ReadyList();

  constructor(output: Output, events: SchedulerEvents) {
    this.output = output;
    this.events = events;
  }

  /** The peer's MAX_FRAME_SIZE. */
  setMaxFrame(bytes: number): void {
    this.maxFrameBytes = bytes < MAX_SENT_FRAME_BYTES ? bytes : MAX_SENT_FRAME_BYTES;
  }

  /** Something could be framed right now. */
  get hasWork(): boolean {
    return this.isWritable && this.sendWindow > 0 && this.ready.head !== null;
  }

  /** The stream got data or credit: it takes turns if it has both. */
  consider(stream: Http2Stream): void {
    if (stream.unsentBytes > 0 && stream.sendWindow > 0) this.ready.add(stream);
    else this.ready.remove(stream);
  }

  /** The stream is gone. */
  forget(stream: Http2Stream): void {
    this.ready.remove(stream);
  }

  /** Cuts frames until credit, data, the socket or the room up to `limit` bytes of output ends. */
  cut(limit: number): void {
    while (this.hasWork) {
      const room = limit - this.output.length - FRAME_HEADER_BYTES;
      if (room < this.ready.head!.unsentBytes && room < LEAST_FRAME_BYTES) return;
      const stream = this.ready.head!;
      this.ready.remove(stream);
      this.cutFrame(stream, room);
    }
  }

  private cutFrame(stream: Http2Stream, room: number): void {
    let length = stream.unsentBytes < room ? stream.unsentBytes : room;
    if (length > stream.sendWindow) length = stream.sendWindow;
    if (length > this.sendWindow) length = this.sendWindow;
    if (length > this.maxFrameBytes) length = this.maxFrameBytes;
    const isLast = length === stream.unsentBytes;
    const isEnd = isLast && stream.isEndQueued && stream.trailers === null;
    this.output.writeFrameHeader(length, FRAME_DATA, isEnd ? FLAG_END_STREAM : 0, stream.id);
    stream.dequeueInto(this.output, length);
    stream.sendWindow -= length;
    this.sendWindow -= length;
    this.consider(stream);
    if (isLast) this.events.onQueueSent(stream, isEnd);
    this.events.onDataSent(stream);
  }
}
