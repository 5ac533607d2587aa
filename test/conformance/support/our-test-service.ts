/** grpc.testing.TestService on our own server. */
import { systemClock, TimerWheel } from '../../../src/base/index.js';
import {
  GrpcServer,
  takeBytes,
  ReassemblyMeter,
  type Message,
  type MethodHandler,
  type ServerCall,
} from '../../../src/net/grpc/index.js';
import { fieldOf } from '../../../src/net/grpc/metadata.js';
import { IncomingCall } from '../../../src/net/grpc/server-call.js';
import { listen } from '../../../src/net/socket/index.js';
import { METHODS, payloadOf, type TestMessage, type TestMethod } from './interop-protocol.js';

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const INVALID_ARGUMENT = 3;
const ECHO_INITIAL = 'x-grpc-test-echo-initial';
const ECHO_TRAILING = 'x-grpc-test-echo-trailing-bin';

export interface TestServer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param tls PEM of certificate and key, or null for plain text. */
export async function serveOurs(tls: { cert: Buffer; key: Buffer } | null): Promise<TestServer> {
  const fail = (error: unknown): void => {
    throw error;
  };
  const server = new GrpcServer({
    clock: systemClock,
    wheel: new TimerWheel(systemClock),
    meter: new ReassemblyMeter(16 * MAX_MESSAGE_BYTES, null),
    maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
    onHandlerError: (_path, error) => fail(error),
    onUnknownMethod: () => undefined,
  });
  const { empty, unary, streamingInput, streamingOutput, fullDuplex } = METHODS;
  for (const method of [empty, unary, streamingInput, streamingOutput, fullDuplex]) {
    server.register(method.path, new TestHandler(method));
  }
  const listener = await listen(
    {
      clock: systemClock,
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      tls,
      maxConcurrentStreams: 100,
      refuse: () => null,
      setupTimeoutMs: 10_000,
      idleTimeoutMs: 0,
      keepaliveTimeMs: 0,
      keepaliveTimeoutMs: 10_000,
      tcpKeepaliveMs: 60_000,
      http1Hint: '',
      events: {
        onRefused: () => undefined,
        // Interop clients leave as they like.
        onConnectionError: () => undefined,
        onBug: fail,
        onListenerError: fail,
      },
    },
    server,
  );
  return { port: listener.port, close: () => listener.close() };
}

/** One handler for all: what a request asks for decides, as its fields are those of one method only. */
class TestHandler implements MethodHandler {
  private readonly method: TestMethod;

  constructor(method: TestMethod) {
    this.method = method;
  }

  onCall(call: ServerCall): void {
    call.state = new Session(this.method, call);
  }

  onMessage(call: ServerCall, message: Message): void {
    const request = this.method.requestDeserialize(Buffer.from(takeBytes(message))) as TestMessage;
    (call.state as Session).take(request);
  }

  onHalfClose(call: ServerCall): void {
    (call.state as Session).halfClose();
  }

  onEnd(): void {
    // A session ends with its call: what it sends later goes nowhere.
  }
}

class Session {
  private readonly method: TestMethod;
  private readonly call: ServerCall;
  private receivedBytes = 0;
  /** Answers leave in the order of their requests, some after a pause. */
  private work: Promise<void> = Promise.resolve();

  constructor(method: TestMethod, call: ServerCall) {
    this.method = method;
    this.call = call;
  }

  take(request: TestMessage): void {
    this.receivedBytes += request.payload?.body.length ?? 0;
    this.work = this.work.then(() => this.answer(request));
  }

  halfClose(): void {
    this.work = this.work.then(() => {
      if (this.method === METHODS.streamingInput) this.send({ aggregated_payload_size: this.receivedBytes });
      this.finish(0, '');
    });
  }

  private async answer(request: TestMessage): Promise<void> {
    if (request.expect_compressed?.value === true && !isCompressed(this.call)) {
      this.finish(INVALID_ARGUMENT, 'the request is not compressed');
      return;
    }
    const status = request.response_status;
    if (status !== undefined && status !== null) {
      this.finish(status.code, status.message);
      return;
    }
    if (asksForCompression(request)) (this.call as IncomingCall).compressWith('gzip');
    if (this.method === METHODS.empty) this.send({});
    if (this.method === METHODS.unary) this.send(payloadOf(request.response_size ?? 0));
    for (const { size, interval_us: pauseUs = 0 } of request.response_parameters ?? []) {
      if (pauseUs > 0) await new Promise<void>((resolve) => systemClock.setTimer(pauseUs / 1_000, resolve));
      this.send(payloadOf(size));
    }
  }

  private send(response: TestMessage): void {
    const initial = fieldOf(this.call.metadata, ECHO_INITIAL);
    if (initial !== undefined && this.call instanceof IncomingCall) this.call.sendHeaders([ECHO_INITIAL, initial]);
    const bytes = this.method.responseSerialize(response);
    this.call.sendMessage([bytes], bytes.length);
  }

  private finish(code: number, message: string): void {
    const trailing = fieldOf(this.call.metadata, ECHO_TRAILING);
    this.call.finish(code, message, trailing === undefined ? [] : [ECHO_TRAILING, trailing]);
  }
}

function asksForCompression(request: TestMessage): boolean {
  if (request.response_compressed?.value === true) return true;
  return (request.response_parameters ?? []).some((parameters) => parameters.compressed?.value === true);
}

function isCompressed(call: ServerCall): boolean {
  return (fieldOf(call.metadata, 'grpc-encoding') ?? 'identity') !== 'identity';
}
