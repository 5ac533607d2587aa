/** An Envoy's access-log stream on @grpc/grpc-js: identifier in the first message, answered after half-close. */
import {
  credentials,
  type ChannelCredentials,
  type Client,
  type ClientWritableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { ENVOY_SERVICES, type AccessLogMessage } from './independent-protocol.js';

interface AccessLogClient extends Client {
  StreamAccessLogs: (answered: (error: ServiceError | null) => void) => ClientWritableStream<AccessLogMessage>;
}

export interface IndependentEnvoySettings {
  readonly port: number;
  readonly nodeId: string;
  readonly version: 'v2' | 'v3';
  /** Plain text when absent. */
  readonly credentials?: ChannelCredentials;
}

export class IndependentEnvoy {
  /** How the stream ended: null for OK. */
  readonly ended: Promise<ServiceError | null>;
  private readonly client: AccessLogClient;
  private readonly stream: ClientWritableStream<AccessLogMessage>;
  private readonly nodeId: string;
  private isFirst = true;

  constructor(settings: IndependentEnvoySettings) {
    this.nodeId = settings.nodeId;
    const Service = ENVOY_SERVICES[settings.version];
    // A connection of its own, as each Envoy has.
    const own = { 'grpc.use_local_subchannel_pool': 1 };
    this.client = new Service(
      `127.0.0.1:${settings.port}`,
      settings.credentials ?? credentials.createInsecure(),
      own,
    ) as unknown as AccessLogClient;
    let stream: ClientWritableStream<AccessLogMessage> | null = null;
    this.ended = new Promise((resolve) => {
      stream = this.client.StreamAccessLogs((error) => resolve(error));
      stream.on('error', () => {});
    });
    this.stream = stream as unknown as ClientWritableStream<AccessLogMessage>;
  }

  /** Sends one message with an HTTP entry for each path; resolves when there is room for the next. */
  send(paths: readonly string[]): Promise<void> {
    return this.sendEntries({ http_logs: { log_entry: paths.map((path) => ({ request: { path } })) } });
  }

  /** Sends one message with so many TCP entries. */
  sendTcp(entries: number): Promise<void> {
    return this.sendEntries({ tcp_logs: { log_entry: Array.from({ length: entries }, () => ({ common: TCP })) } });
  }

  private async sendEntries(entries: AccessLogMessage): Promise<void> {
    const identifier = { node: { id: this.nodeId, cluster: 'app.shop' }, log_name: 'envoy_accesslog' };
    const message = this.isFirst ? { identifier, ...entries } : entries;
    this.isFirst = false;
    if (this.stream.write(message)) return;
    await Promise.race([new Promise((resolve) => this.stream.once('drain', resolve)), this.ended]);
  }

  /** Half-closes, waits for the answer and closes the connection. */
  async finish(): Promise<ServiceError | null> {
    this.stream.end();
    const error = await this.ended;
    this.client.close();
    return error;
  }

  /** Waits for the server to end the stream and closes the connection. */
  async waitEnded(): Promise<ServiceError | null> {
    const error = await this.ended;
    this.client.close();
    return error;
  }
}

const TCP = Buffer.from('upstream');
