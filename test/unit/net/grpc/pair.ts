/** A client and a server whose engines are joined by plain arrays: no sockets, no time but the simulated clock's. */
import { createSeededRandom, SimulatedClock, TimerWheel } from '../../../../src/base/index.js';
import {
  GrpcClientConnection,
  GrpcServer,
  ReassemblyMeter,
  takeBytes,
  type ServedConnection,
} from '../../../../src/net/grpc/index.js';
import type { CallOptions, ClientCall, MethodHandler, ServerCall, Status } from '../../../../src/net/grpc/contract.js';
import { DEFAULT_HTTP2_SETTINGS, Http2Connection, type Http2Host } from '../../../../src/net/http2/index.js';
import { lendChunk, takeOutput } from '../../../support/engine.js';
import { PoisonPool } from '../../../support/poison-pool.js';

export const LIMIT_BYTES = 200_000;
const METER_BYTES = 16_000_000;

/** How bytes are cut on their way: whole chunks, single bytes, or random cuts. */
export type Split = 'whole' | 'bytes' | 'random';

class ArrayHost implements Http2Host {
  isFinished = false;

  onOutput(): void {
    // The pump takes it.
  }

  onFinished(): void {
    this.isFinished = true;
  }
}

export class Pair {
  readonly clock = new SimulatedClock(1000);
  readonly wheel = new TimerWheel(this.clock);
  readonly blocks = new PoisonPool();
  readonly meter = Object.assign(new ReassemblyMeter(METER_BYTES, null), { blocks: this.blocks });
  readonly bugs: unknown[] = [];
  readonly unknownMethods: string[] = [];
  readonly freeStreamEvents: number[] = [];
  readonly draining: string[] = [];
  tooManyPings = 0;
  readonly server: GrpcServer;
  readonly client: GrpcClientConnection;
  readonly served: ServedConnection;
  readonly serverEngine: Http2Connection;
  readonly clientEngine: Http2Connection;
  private readonly split: Split;
  private readonly random = createSeededRandom(7);

  constructor(split: Split = 'whole', maxConcurrentStreams = 100, limitBytes = LIMIT_BYTES) {
    this.split = split;
    const { clock, wheel, meter, bugs } = this;
    this.server = new GrpcServer({
      clock,
      wheel,
      meter,
      maxReceiveMessageBytes: limitBytes,
      onHandlerError: (_path, error) => bugs.push(error),
      onUnknownMethod: (path) => this.unknownMethods.push(path),
    });
    const environment = {
      clock,
      wheel,
      meter,
      maxReceiveMessageBytes: limitBytes,
      onHandlerError: (_path: string, error: unknown) => bugs.push(error),
    };
    const onTooManyPings = (): void => {
      this.tooManyPings++;
    };
    this.client = new GrpcClientConnection(
      { environment, authority: 'satellite.test', isTls: false, onTooManyPings },
      {
        onReady: () => undefined,
        onFreeStream: (connection) => this.freeStreamEvents.push(connection.freeStreams),
        onDraining: (_connection, reason) => this.draining.push(reason),
        onClosed: () => undefined,
      },
    );
    const settings = { ...DEFAULT_HTTP2_SETTINGS, maxConcurrentStreams };
    const peer = { host: '10.0.0.1', port: 4711, isTls: false };
    this.served = this.server.serve(peer);
    this.serverEngine = new Http2Connection('server', settings, this.served, new ArrayHost());
    this.clientEngine = new Http2Connection('client', DEFAULT_HTTP2_SETTINGS, this.client, new ArrayHost());
    this.client.attach(this.clientEngine, {
      lastProgressMs: 0,
      drain: () => {
        this.clientEngine.drain();
      },
      destroy: (reason) => {
        this.client.markLost();
        this.clientEngine.abort(reason);
      },
    });
    this.pump();
  }

  /** Moves bytes both ways until nobody has any left. */
  pump(): void {
    for (;;) {
      const moved = this.move(this.clientEngine, this.serverEngine) + this.move(this.serverEngine, this.clientEngine);
      if (moved === 0) return;
    }
  }

  private move(from: Http2Connection, to: Http2Connection): number {
    const bytes = takeOutput(from);
    let at = 0;
    while (at < bytes.length) {
      const end = Math.min(bytes.length, at + this.cut(bytes.length));
      lendChunk(to, bytes.subarray(at, end), this.clock.now());
      at = end;
    }
    return bytes.length;
  }

  private cut(length: number): number {
    if (this.split === 'whole') return length;
    return this.split === 'bytes' ? 1 : 1 + Math.floor(this.random() * 2000);
  }

  /** Opens a call that records what comes; sends nothing yet. */
  open(path: string, options: CallOptions = {}): RecordedCall {
    const record: RecordedCall = { call: null as unknown as ClientCall, messages: [], status: null, statusCount: 0 };
    const call = this.client.openCall(
      path,
      {
        onMessage: (_call, message) => record.messages.push(Buffer.from(takeBytes(message))),
        onStatus: (_call, status) => {
          record.status = status;
          record.statusCount++;
        },
      },
      options,
    );
    if (call === null) throw new Error('no free stream');
    record.call = call;
    return record;
  }

  /** A whole call: all messages, half-close, pump. */
  run(path: string, messages: readonly Uint8Array[], options: CallOptions = {}): RecordedCall {
    const record = this.open(path, options);
    for (const message of messages) record.call.sendMessage([message], message.length);
    record.call.halfClose();
    this.pump();
    return record;
  }
}

export interface RecordedCall {
  call: ClientCall;
  readonly messages: Buffer[];
  status: Status | null;
  statusCount: number;
}

/** A handler that records everything; replies with the number of messages at half-close unless told otherwise. */
export class Recorder implements MethodHandler {
  readonly takesLateMessages: boolean;
  readonly calls: ServerCall[] = [];
  readonly messages: Buffer[] = [];
  readonly pinned: number[] = [];
  readonly ends: string[] = [];
  halfCloses = 0;

  constructor(takesLateMessages = false) {
    this.takesLateMessages = takesLateMessages;
  }

  onCall(call: ServerCall): void {
    this.calls.push(call);
  }

  onMessage(_call: ServerCall, message: Parameters<MethodHandler['onMessage']>[1]): void {
    this.messages.push(Buffer.from(takeBytes(message)));
    this.pinned.push(message.pinnedBytes);
  }

  onHalfClose(call: ServerCall): void {
    this.halfCloses++;
    const reply = Buffer.from(String(this.messages.length));
    call.sendMessage([reply], reply.length);
    call.finish(0);
  }

  onEnd(_call: ServerCall, isCancelled: boolean, reason: string): void {
    this.ends.push(isCancelled ? `cancelled: ${reason}` : 'finished');
  }
}
