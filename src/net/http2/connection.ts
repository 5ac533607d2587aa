/**
 * One HTTP/2 connection, either role, as a pure machine: chunks in; events, and bytes to write, out.
 *
 *   chunk ─▶ FrameReader ─▶ Inbound ─▶ events (onStream, onHeaders, onData, …)
 *                              │
 *                       ConnectionCore (streams, errors)
 *                              │
 *   calls (openStream, sendData, …) ─▶ FrameWriter, DataScheduler ─▶ Output ─▶ takeOutput
 */
import type {
  HeaderFields,
  Http2ConnectionEvents,
  Http2Host,
  Http2StreamEvents,
  Http2StreamHandle,
} from './contract.js';
import { ConnectionCore } from './core.js';
import { Http2Counters } from './counters.js';
import { H2_NO_ERROR } from './errors.js';
import { GUARDS, MAX_PENDING_ANSWER_BYTES } from './flood-guard.js';
import { CLIENT_PREFACE, MAX_U31 } from './frame.js';
import { Inbound } from './inbound.js';
import { encodeSettings, PROTOCOL_WINDOW_BYTES } from './settings.js';
import type { Http2Settings } from './settings.js';
import { Http2Stream } from './stream.js';

export type Http2Role = 'server' | 'client';

/** The connection engine. The output of the constructor (preface and SETTINGS) is taken like any other. */
export class Http2Connection {
  readonly role: Http2Role;
  private readonly core: ConnectionCore;
  private readonly inbound: Inbound;

  /** `counters` may be shared by connections. */
  constructor(
    role: Http2Role,
    settings: Http2Settings,
    events: Http2ConnectionEvents,
    host: Http2Host,
    counters: Http2Counters = new Http2Counters(),
  ) {
    this.role = role;
    const core = new ConnectionCore(role === 'server', settings, events, host, counters);
    this.core = core;
    this.inbound = new Inbound(core);
    if (!core.isServer) core.output.copy(CLIENT_PREFACE, 0, CLIENT_PREFACE.length);
    core.writer.writeSettings(encodeSettings(settings, core.isServer));
    const extraWindow = settings.connectionWindowBytes - PROTOCOL_WINDOW_BYTES;
    if (extraWindow > 0) core.writer.writeWindowUpdate(0, extraWindow);
  }

  // --- for the owner of the socket ---

  /** Bytes to write that were not taken yet; DATA still held by flow control is not among them. */
  get pendingOutputBytes(): number {
    return this.core.output.length;
  }

  /** Reads a chunk. @ownership it is borrowed for the call. */
  receive(chunk: Uint8Array, nowMs: number): void {
    const core = this.core;
    if (core.isOver) return;
    core.guard.tick(nowMs);
    this.inbound.receive(chunk);
    if (!core.scheduler.isWritable && core.output.length > MAX_PENDING_ANSWER_BYTES) core.trip(GUARDS.pendingAnswers);
  }

  /** The peer closed its side of the socket. */
  receiveEnd(): void {
    this.core.shut('the peer closed the connection', true);
  }

  /** The socket is gone. Open streams get `onReset`; `onFinished` is not called. Idempotent. */
  abort(reason: string): void {
    this.core.shut(reason, false);
  }

  /**
   * Cuts frames and writes all that is to be said into `into`, as far as it has room.
   * @returns its front; more than that, in memory of its own, when control frames alone need it.
   */
  takeOutput(into: Uint8Array): Uint8Array {
    const core = this.core;
    core.isSignalled = true;
    core.output.beginTake(into);
    core.scheduler.cut(into.length);
    const taken = core.output.endTake();
    core.takenStreamId = core.streams.lastOwnId;
    core.isSignalled = false;
    if (core.scheduler.hasWork) core.signal();
    return taken;
  }

  /** False: the socket is full, no DATA leaves, control frames do. */
  setWritable(isWritable: boolean): void {
    this.core.scheduler.isWritable = isWritable && !this.core.isOver;
    if (this.core.scheduler.hasWork) this.core.signal();
  }

  // --- for the protocol above ---

  /** The peer's SETTINGS have come. */
  get peerSettingsSeen(): boolean {
    return this.inbound.peerSettingsSeen;
  }

  /** What went wrong, counted. */
  get counters(): Http2Counters {
    return this.core.counters;
  }

  /** Why the connection is over; '' while it is not, and after an orderly end. */
  get closeReason(): string {
    return this.core.closeReason;
  }

  get openStreams(): number {
    return this.core.streams.size;
  }

  /** The peer's MAX_CONCURRENT_STREAMS; Infinity when it named none. */
  get maxConcurrentStreams(): number {
    return this.core.peer.maxConcurrentStreams;
  }

  /** Streams that may be opened now (client role). */
  get freeStreams(): number {
    if (!this.inbound.peerSettingsSeen || !this.mayOpen()) return 0;
    const free = this.core.peer.maxConcurrentStreams - this.core.streams.size;
    return free > 0 ? free : 0;
  }

  /** True when nothing can happen on it any more. */
  get isClosed(): boolean {
    return this.core.isOver;
  }

  /**
   * Opens a stream with its request headers.
   * @returns null without a free slot, when draining, or when closed.
   */
  openStream(
    headers: HeaderFields,
    endStream: boolean,
    events: Http2StreamEvents,
    owner: unknown,
  ): Http2StreamHandle | null {
    if (!this.mayOpen() || this.core.streams.size >= this.core.peer.maxConcurrentStreams) return null;
    const id = this.core.streams.lastOwnId === 0 ? 1 : this.core.streams.lastOwnId + 2;
    this.core.streams.lastOwnId = id;
    const stream = new Http2Stream(
      id,
      this.core,
      events,
      this.core.peer.streamWindowBytes,
      this.core.streamWindowBytes,
    );
    stream.owner = owner;
    this.core.streams.add(stream);
    this.core.sendHeadersOn(stream, headers, endStream);
    // Ids are used up: the connection ends with its open streams, and its owner dials anew. @source RFC 9113 §5.1.1.
    if (id === MAX_U31) this.drain();
    return stream;
  }

  /** Sends a PING; `onAck` is called when the peer has answered it. */
  ping(onAck: () => void): void {
    if (!this.core.isOver) this.inbound.ping(onAck);
  }

  /**
   * Sends GOAWAY. NO_ERROR: no streams above `lastId` are served, the engine finishes when those open are done. Any other
   * code ends all at once.
   */
  goAway(errorCode: number, lastId: number = this.core.streams.lastPeerId, debug = ''): void {
    this.core.goAway(errorCode, lastId, debug);
  }

  /**
   * Ends the connection without losing a stream. Server role: says so first, and names the last stream only after a PING
   * came back, when all streams the peer had opened before it knew have arrived. @source RFC 9113 §6.8.
   */
  drain(): void {
    if (this.core.isOver || this.core.isDraining) return;
    this.core.isDraining = true;
    if (!this.core.isServer) {
      this.goAway(H2_NO_ERROR);
      return;
    }
    this.core.writer.writeGoAway(MAX_U31, H2_NO_ERROR, 'draining');
    this.ping(() => this.goAway(H2_NO_ERROR, this.core.streams.lastPeerId, 'draining'));
  }

  private mayOpen(): boolean {
    const core = this.core;
    return !core.isServer && !core.isOver && !core.isDraining && !core.isPeerDraining;
  }
}
