/** A client stream of raw message bodies on @grpc/grpc-js: what no well-behaved source would send. */
import { Client, credentials, type ClientWritableStream, type ServiceError } from '@grpc/grpc-js';

export const ALS_V3_PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';

const asIs = (body: Buffer): Buffer => body;

/** One connection; its streams share it. */
export class RawClient {
  private readonly client: Client;

  constructor(port: number) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.max_send_message_length': -1,
    });
  }

  open(path = ALS_V3_PATH): RawStream {
    return new RawStream(this.client, path);
  }

  close(): void {
    this.client.close();
  }
}

export class RawStream {
  /** How the stream ended: null for OK. */
  readonly ended: Promise<ServiceError | null>;
  private readonly stream: ClientWritableStream<Buffer>;

  constructor(client: Client, path: string) {
    let end: (error: ServiceError | null) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.stream = client.makeClientStreamRequest(path, asIs, asIs, (error) => end(error));
    this.stream.on('error', () => {});
  }

  send(body: Buffer): void {
    this.stream.write(body);
  }

  finish(): Promise<ServiceError | null> {
    this.stream.end();
    return this.ended;
  }
}
