/**
 * HOT. Binds one socket to one HTTP/2 engine. Reads go to the engine in the turn they come in; what the engine has to say
 * leaves as one write at the end of the turn (TurnFlusher).
 *
 *   socket ──read──▶ engine.receive        engine.onOutput ─▶ TurnFlusher ─▶ flush: takeOutput, write
 *   socket ─'end'──▶ engine.receiveEnd     kernel full ─▶ setWritable(false) … 'drain' ─▶ setWritable(true)
 *   socket ─'close'▶ engine.abort          engine.onFinished ─▶ flush ─▶ FIN ─▶ close
 *
 * While the kernel takes nothing, output stays in the engine, which bounds it and holds DATA back; so the unsent bytes
 * of a connection are those of one turn at most.
 * @ownership A chunk is lent to the engine for the call: the next read of any connection may overwrite it.
 */
import type { Socket } from 'node:net';
import { SatelliteError, type Clock, type ErrorKind, type Timer } from '../../base/index.js';
import type { Http2Connection } from '../http2/connection.js';
import type { Http2Host } from '../http2/contract.js';
import { HTTP2_ERRORS } from '../http2/errors.js';
import { NET_ERRORS } from './errors.js';
import { FIRST_BYTES, type FirstBytes } from './first-bytes.js';
import { connectionError } from './node-error.js';
import type { SocketReads } from './socket-reads.js';
import { turnFlusher, type FlushTarget } from './turn-flusher.js';

/**
 * Bytes that the kernel did not take at once and from which on DATA is held back. Below it a write costs less than
 * stopping and starting the engine's streams; one turn may add to it.
 */
const WRITE_HIGH_BYTES = 64 * 1024;
/**
 * How long an ended connection waits for the kernel to take our last frames and for the peer's FIN: closing with unread
 * input would reset the connection and lose them.
 */
const CLOSE_TIMEOUT_MS = 5000;
/** One write. Larger ones save nothing, and leave the processor's cache on their way to the kernel. */
const WRITE_BYTES = 256 * 1024;
/** Room below this at the end of the memory for writes is not used any more. */
const LEAST_WRITE_BYTES = 64 * 1024;
/** Output up to this is copied once more: if the kernel does not take it at once, it keeps no WRITE_BYTES alive. */
const SMALL_WRITE_BYTES = 8 * 1024;
/** What is being written: shared by all transports, as the kernel takes a write at once as a rule. */
let writeRoom = allocateWriteRoom();

/** Who made the transport: a listener or a dialer. */
export interface TransportOwner {
  /** The socket is gone; the engine is about to end its streams. */
  onTransportClosing(): void;
  /** Exactly once, last. `error` is null after an orderly end. */
  onTransportClosed(transport: Transport, error: SatelliteError | null): void;
  /** An exception where none may be: a bug of ours. The connection was destroyed. */
  onTransportBug(error: unknown): void;
}

export class Transport implements Http2Host, FlushTarget {
  /** Clock time of the last bytes read or write drained. */
  lastProgressMs: number;
  /** Clock time of the last bytes read. */
  lastReadMs: number;
  private readonly socket: Socket;
  private readonly clock: Clock;
  private readonly owner: TransportOwner;
  /** For errors: who is at the other end. */
  private readonly where: string;
  private engine: Http2Connection | null = null;
  /** False: output waits, for the connection to stand or for the client to show that it speaks HTTP/2. */
  private isOpen = false;
  private isWritable = true;
  private isFlushScheduled = false;
  private isFinished = false;
  /** The peer sent its FIN. */
  private hasPeerEnded = false;
  private isClosed = false;
  private error: SatelliteError | null = null;
  private closing: Timer | null = null;
  /** What came before it was clear that the peer speaks HTTP/2; null once it is. */
  private firstBytes: FirstBytes | null;

  constructor(reads: SocketReads, clock: Clock, where: string, firstBytes: FirstBytes, owner: TransportOwner) {
    const { socket } = reads;
    this.socket = socket;
    this.clock = clock;
    this.where = where;
    this.firstBytes = firstBytes;
    this.owner = owner;
    this.lastProgressMs = clock.now();
    this.lastReadMs = this.lastProgressMs;
    reads.onRead = this.onRead;
    socket.on('end', this.onEnd);
    socket.on('drain', this.onDrain);
    socket.on('error', this.onError);
    socket.on('close', this.onClose);
  }

  /** @order once; the engine was made with this transport as its host. */
  attach(engine: Http2Connection): void {
    this.engine = engine;
  }

  /** Dialled and connected, or accepted and spoken to in HTTP/2: our preface leaves. */
  open(): void {
    this.isOpen = true;
    this.onOutput();
  }

  /** GOAWAY; closes when the open streams are done. */
  drain(): void {
    if (!this.isClosed) this.engine!.drain();
  }

  /** Closes at once. `error` is what the owner will hear; open streams end with its message. */
  destroy(reason: string, error: SatelliteError = new SatelliteError(NET_ERRORS.CLOSED, reason)): void {
    if (this.isClosed) return;
    this.error ??= error;
    this.socket.destroy();
  }

  // --- from the engine ---

  onOutput(): void {
    if (this.isFlushScheduled || !this.isOpen) return;
    this.isFlushScheduled = true;
    turnFlusher.schedule(this);
  }

  onFinished(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    const { closeReason } = this.engine!;
    if (closeReason !== '' && !this.hasPeerEnded) this.error ??= this.failure(HTTP2_ERRORS.PROTOCOL, closeReason);
    this.closing = this.clock.setTimer(CLOSE_TIMEOUT_MS, this.onCloseTimeout);
    if (this.isOpen) this.onOutput();
    else this.socket.end();
  }

  /** Writes what the engine has to say. Called by the TurnFlusher only. */
  flush(): void {
    this.isFlushScheduled = false;
    const socket = this.socket;
    if (this.isClosed || socket.destroyed || socket.writableEnded) return;
    // While the kernel takes nothing the engine keeps its output, and bounds it.
    if (!this.isWritable) return;
    let output: Uint8Array;
    try {
      output = this.engine!.takeOutput(writeRoom);
    } catch (error) {
      this.failByBug(error);
      return;
    }
    if (output.length > SMALL_WRITE_BYTES) this.writeLarge(output);
    else if (output.length > 0) socket.write(Buffer.from(output));
    if (socket.writableLength >= WRITE_HIGH_BYTES) {
      this.isWritable = false;
      this.engine!.setWritable(false);
    }
    // All that is to come has been handed over; node sends FIN behind it.
    if (this.isFinished) socket.end();
  }

  private writeLarge(output: Uint8Array): void {
    this.socket.write(output);
    if (this.socket.writableLength === 0 || output.buffer !== writeRoom.buffer) return;
    // What the kernel has not taken, node writes from this memory later.
    writeRoom = writeRoom.subarray(output.length);
    if (writeRoom.length < LEAST_WRITE_BYTES) writeRoom = allocateWriteRoom();
  }

  private readonly onCloseTimeout = (): void => {
    this.socket.destroy();
  };

  // --- from the socket ---

  private readonly onRead = (chunk: Uint8Array): void => {
    const nowMs = this.clock.now();
    this.lastProgressMs = nowMs;
    this.lastReadMs = nowMs;
    if (this.isFinished) return;
    const bytes = this.firstBytes === null ? chunk : this.admit(chunk);
    if (bytes === null) return;
    try {
      this.engine!.receive(bytes, nowMs);
    } catch (error) {
      this.failByBug(error);
    }
  };

  /** Looks at the first bytes of the peer. @returns null while they are unclear, or answered here. */
  private admit(chunk: Uint8Array): Uint8Array | null {
    const firstBytes = this.firstBytes!;
    switch (firstBytes.add(chunk)) {
      case FIRST_BYTES.unclear:
        return null;
      case FIRST_BYTES.http1:
        this.refuse(firstBytes.answer, HTTP2_ERRORS.PREFACE, firstBytes.http1Reason);
        return null;
      case FIRST_BYTES.tls:
        this.refuse(firstBytes.answer, NET_ERRORS.TLS, firstBytes.tlsReason);
        return null;
      default:
        this.firstBytes = null;
        // Accepted, it was held back until now; dialled, it is open since it is connected.
        if (!this.isOpen) this.open();
        return firstBytes.bytes;
    }
  }

  private refuse(answer: string, kind: ErrorKind, reason: string): void {
    if (reason !== '') this.error ??= this.failure(kind, reason);
    this.socket.end(answer);
    this.onFinished();
  }

  private readonly onEnd = (): void => {
    if (this.isClosed) return;
    // Clients of ours leave like this; a server that ends says so before (GOAWAY), which finishes the engine.
    if (!this.isFinished && this.engine!.role === 'client')
      this.error ??= this.failure(NET_ERRORS.LOST, 'closed by the peer');
    this.hasPeerEnded = true;
    try {
      this.engine!.receiveEnd();
    } catch (error) {
      this.failByBug(error);
    }
    // What is still to be said (answers to what came before the FIN) leaves first.
    this.onFinished();
  };

  private readonly onDrain = (): void => {
    if (this.isClosed || this.isWritable) return;
    this.lastProgressMs = this.clock.now();
    this.isWritable = true;
    this.engine!.setWritable(true);
    this.onOutput();
  };

  private readonly onError = (error: Error): void => {
    this.error ??= connectionError(error, this.where);
  };

  private readonly onClose = (): void => {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closing?.cancel();
    this.closing = null;
    this.owner.onTransportClosing();
    try {
      this.engine!.abort(this.error?.message ?? `${this.where}: the connection was closed`);
    } catch (error) {
      this.owner.onTransportBug(error);
    }
    this.owner.onTransportClosed(this, this.error);
  };

  private failure(kind: ErrorKind, reason: string): SatelliteError {
    return new SatelliteError(kind, `${this.where}: ${reason}`);
  }

  private failByBug(error: unknown): void {
    this.owner.onTransportBug(error);
    this.destroy('internal error', SatelliteError.from(error));
  }
}

function allocateWriteRoom(): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(WRITE_BYTES).buffer);
}
