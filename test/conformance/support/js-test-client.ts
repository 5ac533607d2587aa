/** The interop client on @grpc/grpc-js. */
import { Client, credentials, Metadata, type ClientDuplexStream, type StatusObject } from '@grpc/grpc-js';
import type { CallEnd, TestCall, TestCallOptions, TestClient } from './interop-cases.js';
import type { TestMessage, TestMethod } from './interop-protocol.js';
import { ResponseQueue } from './response-queue.js';

/** How grpc-js names gzip in a channel's options. */
const GZIP = 2;

/** @param ca PEM, or null for plain text. */
export function connectJs(port: number, ca: Buffer | null): TestClient {
  const open = (options = {}): Client => {
    const trust = ca === null ? credentials.createInsecure() : credentials.createSsl(ca);
    return new Client(`127.0.0.1:${port}`, trust, options);
  };
  const plain = open();
  const compressing = open({ 'grpc.default_compression_algorithm': GZIP });
  return {
    showsEncoding: false,
    open: (method, options = {}) =>
      new JsTestCall(options.isCompressed === true ? compressing : plain, method, options),
    close: () => {
      plain.close();
      compressing.close();
    },
  };
}

class JsTestCall implements TestCall {
  readonly ended: Promise<CallEnd>;
  private readonly stream: ClientDuplexStream<TestMessage, TestMessage>;
  private readonly responses = new ResponseQueue();

  constructor(client: Client, method: TestMethod, { metadata = {}, timeoutMs }: TestCallOptions) {
    const fields = new Metadata();
    for (const [name, value] of Object.entries(metadata)) {
      fields.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
    }
    this.stream = client.makeBidiStreamRequest<TestMessage, TestMessage>(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      fields,
      timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
    );
    let headers = new Metadata();
    this.stream.on('metadata', (received: Metadata) => {
      headers = received;
    });
    this.stream.on('data', (message: TestMessage) => this.responses.push(message));
    // The status says it all.
    this.stream.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      this.stream.on('status', ({ code, details, metadata: trailers }: StatusObject) => {
        resolve({ code, message: details, headers: toMap(headers), trailers: toMap(trailers) });
        this.responses.end();
      });
    });
  }

  send(message: TestMessage): void {
    this.stream.write(message);
  }

  halfClose(): void {
    this.stream.end();
  }

  cancel(): void {
    this.stream.cancel();
  }

  next(): Promise<TestMessage | null> {
    return this.responses.next();
  }
}

function toMap(metadata: Metadata): Map<string, string> {
  const names = Object.keys(metadata.getMap());
  return new Map(
    names.map((name) => {
      const value = metadata.get(name)[0] ?? '';
      return [name, typeof value === 'string' ? value : value.toString('base64').replace(/=+$/, '')];
    }),
  );
}
