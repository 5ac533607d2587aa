/** The methods that a server serves, and the calls it is serving. Pure: connections are brought by net/socket. */
import { SatelliteError, type TimerWheel, type Clock } from '../../base/index.js';
import type { HeaderFields, Http2ConnectionEvents, Http2StreamHandle } from '../http2/contract.js';
import { H2_NO_ERROR } from '../http2/errors.js';
import type { CallEnvironment } from './call-environment.js';
import type { MethodHandler, MethodRegistry, Peer } from './contract.js';
import { DUPLICATE_METHOD } from './errors.js';
import { fieldOf } from './metadata.js';
import { encodeStatusMessage } from './percent.js';
import type { ReassemblyMeter } from './reassembly-meter.js';
import { DiscardingStream, NotGrpcStream } from './refused-stream.js';
import { IncomingCall, type ServerCallOwner } from './server-call.js';
import { GRPC_STATUS } from './status.js';

export interface GrpcServerSettings {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly meter: ReassemblyMeter;
  /** @units bytes of one message, uncompressed as well as on the wire. */
  readonly maxReceiveMessageBytes: number;
  /** A handler threw. */
  readonly onHandlerError: (path: string, error: unknown) => void;
  /** A method that nobody registered was called. */
  readonly onUnknownMethod: (path: string, peer: Peer) => void;
}

/** Counts since the start; read at scrapes. */
export class GrpcServerCounters {
  calls = 0;
  unknownMethods = 0;
  notGrpcRequests = 0;
  handlerErrors = 0;
}

export class GrpcServer implements MethodRegistry {
  readonly counters = new GrpcServerCounters();
  private readonly settings: GrpcServerSettings;
  private readonly environment: CallEnvironment;
  private readonly handlers = new Map<string, MethodHandler>();
  private openCalls = 0;

  constructor(settings: GrpcServerSettings) {
    this.settings = settings;
    this.environment = {
      clock: settings.clock,
      wheel: settings.wheel,
      meter: settings.meter,
      maxReceiveMessageBytes: settings.maxReceiveMessageBytes,
      onHandlerError: (path, error) => {
        this.counters.handlerErrors++;
        settings.onHandlerError(path, error);
      },
    };
  }

  get callCount(): number {
    return this.openCalls;
  }

  /** Paths with a handler, in the order of registration. */
  get paths(): readonly string[] {
    return [...this.handlers.keys()];
  }

  register(path: string, handler: MethodHandler): void {
    if (this.handlers.has(path)) {
      throw new SatelliteError(DUPLICATE_METHOD, `the gRPC method ${path} is registered twice on one server`);
    }
    this.handlers.set(path, handler);
  }

  /** The events of one more connection's engine. */
  serve(peer: Peer): ServedConnection {
    return new ServedConnection(this, peer);
  }

  /** A peer opened a stream: makes a call of it, or answers why it cannot be one. @returns null when it was answered. */
  accept(
    stream: Http2StreamHandle,
    headers: HeaderFields,
    endStream: boolean,
    connection: ServedConnection,
  ): IncomingCall | null {
    const contentType = fieldOf(headers, 'content-type');
    if (!isGrpc(contentType) || fieldOf(headers, ':method') !== 'POST') {
      this.counters.notGrpcRequests++;
      const refusal = new NotGrpcStream();
      stream.events = refusal;
      if (endStream) refusal.answer(stream);
      return null;
    }
    const path = fieldOf(headers, ':path') ?? '';
    const handler = this.handlers.get(path);
    if (handler === undefined) {
      this.counters.unknownMethods++;
      this.settings.onUnknownMethod(path, connection.peer);
      answerUnknown(stream, path, endStream);
      return null;
    }
    this.counters.calls++;
    this.openCalls++;
    const call = new IncomingCall(this.environment, stream, path, headers, connection.peer, handler, connection);
    stream.events = call;
    stream.owner = call;
    return call;
  }

  /** A call that `accept` returned is over. */
  countEnd(): void {
    this.openCalls--;
  }
}

/** The calls of one connection. */
export class ServedConnection implements Http2ConnectionEvents, ServerCallOwner {
  readonly peer: Peer;
  private readonly server: GrpcServer;
  private readonly calls = new Set<IncomingCall>();
  private isDraining = false;

  constructor(server: GrpcServer, peer: Peer) {
    this.server = server;
    this.peer = peer;
  }

  onStream(stream: Http2StreamHandle, headers: HeaderFields, endStream: boolean): void {
    const call = this.server.accept(stream, headers, endStream, this);
    if (call === null) return;
    this.calls.add(call);
    call.begin(endStream);
    // The peer opened it before it could know that this connection is to end.
    if (this.isDraining) call.drain(false);
  }

  onCallEnded(call: IncomingCall): void {
    if (this.calls.delete(call)) this.server.countEnd();
  }

  /** Ends the open calls, and those still to come, at message boundaries; see IncomingCall.drain. */
  drainCalls(isQuiet: boolean): void {
    this.isDraining = true;
    for (const call of this.calls) call.drain(isQuiet);
  }

  onSettings(): void {
    // We open no streams here.
  }

  onGoAway(): void {
    // A client that says goodbye still gets its answers.
  }

  onStreamClosed(): void {
    // The call has heard it.
  }
}

/** `application/grpc`, `application/grpc+proto`, with or without parameters. */
function isGrpc(contentType = ''): boolean {
  if (!contentType.startsWith('application/grpc')) return false;
  const next = contentType.charAt('application/grpc'.length);
  return next === '' || next === '+' || next === ';';
}

function answerUnknown(stream: Http2StreamHandle, path: string, endStream: boolean): void {
  stream.events = new DiscardingStream();
  const text = encodeStatusMessage(`unknown method ${path}`);
  const status = String(GRPC_STATUS.UNIMPLEMENTED);
  stream.sendHeaders(
    [':status', '200', 'content-type', 'application/grpc', 'grpc-status', status, 'grpc-message', text],
    true,
  );
  if (!endStream) stream.reset(H2_NO_ERROR);
}
