/** grpc.testing.TestService on @grpc/grpc-js. */
import {
  Metadata,
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import { payloadOf, TEST_SERVICE, type TestMessage } from './interop-protocol.js';
import type { TestServer } from './our-test-service.js';

const ECHO_INITIAL = 'x-grpc-test-echo-initial';
const ECHO_TRAILING = 'x-grpc-test-echo-trailing-bin';

type Duplex = ServerDuplexStream<TestMessage, TestMessage>;

/** @param tls PEM of certificate and key, or null for plain text. */
export async function serveJs(tls: { cert: Buffer; key: Buffer } | null): Promise<TestServer> {
  const server = new Server();
  // UnimplementedCall is left out.
  server.addService(TEST_SERVICE, {
    EmptyCall: (_call: unknown, answer: sendUnaryData<object>) => answer(null, {}),
    UnaryCall: answerUnary,
    StreamingInputCall: (call: ServerReadableStream<TestMessage, TestMessage>, answer: sendUnaryData<TestMessage>) => {
      let sum = 0;
      call.on('data', (request: TestMessage) => {
        sum += request.payload?.body.length ?? 0;
      });
      call.on('end', () => answer(null, { aggregated_payload_size: sum }));
    },
    StreamingOutputCall: (call: ServerWritableStream<TestMessage, TestMessage>) => {
      void sendResponses(call, call.request).then(() => call.end());
    },
    FullDuplexCall: answerDuplex,
  });
  const credentials =
    tls === null
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }]);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    port,
    close: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

function answerUnary(call: ServerUnaryCall<TestMessage, TestMessage>, answer: sendUnaryData<TestMessage>): void {
  const { response_status: status, response_size: size = 0 } = call.request;
  echoInitial(call);
  if (status !== undefined && status !== null) answer({ code: status.code, details: status.message });
  else answer(null, payloadOf(size), trailersOf(call.metadata));
}

function answerDuplex(call: Duplex): void {
  let work: Promise<void> = Promise.resolve();
  echoInitial(call);
  call.on('data', (request: TestMessage) => {
    const status = request.response_status;
    if (status !== undefined && status !== null) {
      call.emit('error', { code: status.code, details: status.message });
    } else {
      work = work.then(() => sendResponses(call, request));
    }
  });
  call.on('end', () => {
    void work.then(() => call.end(trailersOf(call.metadata)));
  });
  // Callers that cancel are part of the game.
  call.on('error', () => undefined);
}

async function sendResponses(call: { write(message: TestMessage): unknown }, request: TestMessage): Promise<void> {
  for (const { size, interval_us: pauseUs = 0 } of request.response_parameters ?? []) {
    if (pauseUs > 0) await sleep(pauseUs / 1_000);
    call.write(payloadOf(size));
  }
}

function echoInitial(call: { metadata: Metadata; sendMetadata(metadata: Metadata): void }): void {
  const [value] = call.metadata.get(ECHO_INITIAL);
  if (value === undefined) return;
  const headers = new Metadata();
  headers.set(ECHO_INITIAL, value);
  call.sendMetadata(headers);
}

function trailersOf(metadata: Metadata): Metadata {
  const trailers = new Metadata();
  const [value] = metadata.get(ECHO_TRAILING);
  if (value !== undefined) trailers.set(ECHO_TRAILING, value);
  return trailers;
}
