import { BalancedChannel } from '../../../core/balance/index.js';
import type { Resolver } from '../../../core/balance/index.js';
import type { Channel } from '../../../core/channel.js';
import type { ClientPlugin, ProcessSettings } from '../../../core/plugin.js';
import type { Dial } from '../../../net/socket/contract.js';
import type { GrpcClientConfig } from './config.js';
import { readTlsSettings } from './tls-files.js';

/** The channel to the backends, made from the options. */
export class GrpcClient implements ClientPlugin {
  private readonly config: GrpcClientConfig;
  private readonly settings: ProcessSettings;
  private readonly resolver: Resolver;
  private readonly balanced: BalancedChannel;

  constructor(config: GrpcClientConfig, settings: ProcessSettings, resolver: Resolver, dial: Dial) {
    this.config = config;
    this.settings = settings;
    this.resolver = resolver;
    this.balanced = new BalancedChannel({
      ...settings,
      dial,
      dialSettings: {
        connectTimeoutMs: config.connect_timeout,
        keepaliveTimeMs: config.keepalive_time,
        keepaliveTimeoutMs: config.keepalive_timeout,
        maxReceiveMessageBytes: config.max_recv_msg_size,
      },
      connectionsPerEndpoint: config.connections_per_endpoint,
      maxConnectionAgeMs: config.max_connection_age,
      reconnectMaxMs: config.check_period,
      metadata: config.authentication === '' ? [] : ['authentication', config.authentication],
      unaryTimeoutMs: config.timeout.unary,
      streamTimeoutMs: config.timeout.stream,
    });
  }

  get channel(): Channel {
    return this.balanced;
  }

  /** @throws SAT_PLG_TLS_FILE as a rejection. */
  // eslint-disable-next-line @typescript-eslint/require-await -- the contract is asynchronous, for clients that have to wait.
  async start(): Promise<void> {
    const tls = readTlsSettings(this.config);
    if (tls?.insecureSkipVerify === true) {
      this.settings.log.warn('certificates of backends are not checked, as insecure_skip_verify says');
    }
    this.balanced.start(this.resolver, tls);
  }

  close(): Promise<void> {
    this.balanced.close();
    return Promise.resolve();
  }
}
