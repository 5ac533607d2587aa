/** The interop client on our own gRPC. */
import { systemClock } from '../../../src/base/index.js';
import { OutgoingCall } from '../../../src/net/grpc/client-call.js';
import {
  takeBytes,
  type ClientCall,
  type ClientCallHandler,
  type ClientConnection,
  type Message,
  type Status,
} from '../../../src/net/grpc/index.js';
import type { HeaderFields } from '../../../src/net/http2/contract.js';
import { createDial } from '../../../src/net/socket/index.js';
import type { CallEnd, TestCall, TestCallOptions, TestClient } from './interop-cases.js';
import type { TestMessage, TestMethod } from './interop-protocol.js';
import { ResponseQueue } from './response-queue.js';

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** @param ca PEM, or null for plain text. */
export async function connectOurs(port: number, ca: Buffer | null): Promise<TestClient> {
  const dial = createDial({
    clock: systemClock,
    maxReassemblyBytes: 16 * MAX_MESSAGE_BYTES,
    budget: null,
    onBug: (error) => {
      throw error;
    },
  });
  const settings = {
    clock: systemClock,
    tls: ca === null ? null : { ca },
    connectTimeoutMs: 10_000,
    keepaliveTimeMs: 0,
    keepaliveTimeoutMs: 10_000,
    authority: `127.0.0.1:${port}`,
    maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
  };
  const connection = await new Promise<ClientConnection>((resolve, reject) => {
    dial({ kind: 'tcp', host: '127.0.0.1', port }, settings, {
      onReady: resolve,
      onFreeStream: () => undefined,
      onDraining: () => undefined,
      onClosed: (_connection, error) => reject(error ?? new Error('closed before it was ready')),
    });
  });
  return {
    showsEncoding: true,
    open: (method, options = {}) => new OurTestCall(connection, method, options),
    close: () => connection.destroy('the test is over'),
  };
}

class OurTestCall implements TestCall, ClientCallHandler {
  readonly ended: Promise<CallEnd>;
  private readonly method: TestMethod;
  private readonly call: ClientCall;
  private readonly responses = new ResponseQueue();
  private settle: (end: CallEnd) => void = () => undefined;

  constructor(connection: ClientConnection, method: TestMethod, options: TestCallOptions) {
    this.method = method;
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
    const { timeoutMs, metadata = {}, isCompressed } = options;
    const call = connection.openCall(method.path, this, {
      metadata: Object.entries(metadata).flat(),
      ...(timeoutMs === undefined ? {} : { deadlineMs: systemClock.now() + timeoutMs }),
      ...(isCompressed === true ? { compression: 'gzip' } : {}),
    });
    if (call === null) throw new Error('no free stream');
    this.call = call;
  }

  send(message: TestMessage): void {
    const bytes = this.method.requestSerialize(message);
    this.call.sendMessage([bytes], bytes.length);
  }

  halfClose(): void {
    this.call.halfClose();
  }

  cancel(): void {
    this.call.cancel('the test wants no more');
  }

  next(): Promise<TestMessage | null> {
    return this.responses.next();
  }

  onMessage(_call: ClientCall, message: Message): void {
    this.responses.push(this.method.responseDeserialize(Buffer.from(takeBytes(message))) as TestMessage);
  }

  onStatus(call: ClientCall, status: Status): void {
    const headers = call instanceof OutgoingCall ? call.headers : [];
    const { code, message, trailers } = status;
    this.settle({ code, message, headers: toMap(headers), trailers: toMap(trailers) });
    this.responses.end();
  }
}

function toMap(fields: HeaderFields): Map<string, string> {
  const map = new Map<string, string>();
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? '';
    const value = fields[index + 1] ?? '';
    map.set(name, name.endsWith('-bin') ? value.replace(/=+$/, '') : value);
  }
  return map;
}
