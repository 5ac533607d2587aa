import { SatelliteError } from '../../../base/index.js';
import { BalancedChannel } from '../../../core/balance/index.js';
import type { Resolver } from '../../../core/balance/index.js';
import type { Channel } from '../../../core/channel.js';
import type { ClientPlugin, ProcessSettings } from '../../../core/plugin.js';
import { checkTlsMaterial, TlsFollower, type ClientTlsSettings, type Dial } from '../../../net/socket/index.js';
import type { GrpcClientConfig } from './config.js';
import { GRPC_CLIENT_ERRORS } from './errors.js';
import { GRPC_CLIENT_METRICS } from './metrics.js';
import { readTlsSettings } from './tls-files.js';

/** The channel to the backends, made from the options. */
export class GrpcClient implements ClientPlugin {
  private readonly config: GrpcClientConfig;
  private readonly settings: ProcessSettings;
  private readonly resolver: Resolver;
  private readonly balanced: BalancedChannel;
  private tlsFollower: TlsFollower<ClientTlsSettings> | null = null;
  private removeExpiryGauge: (() => void) | null = null;

  constructor(config: GrpcClientConfig, settings: ProcessSettings, resolver: Resolver, dial: Dial) {
    this.config = config;
    this.settings = settings;
    this.resolver = resolver;
    const token = config.authentication.trim();
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
      metadata: token === '' ? [] : ['authentication', token],
      unaryTimeoutMs: config.timeout.unary,
      streamTimeoutMs: config.timeout.stream,
    });
  }

  get channel(): Channel {
    return this.balanced;
  }

  /** @throws SAT_PLG_TLS_FILE as a rejection. */
  async start(): Promise<void> {
    const tls = await readTlsSettings(this.config);
    if (tls?.insecureSkipVerify === true) {
      this.settings.log.warn('certificates of backends are not checked, as insecure_skip_verify says');
    }
    if (tls !== null) this.followTls(tls);
    this.balanced.start(this.resolver, tls);
  }

  close(): Promise<void> {
    this.tlsFollower?.close();
    this.removeExpiryGauge?.();
    this.balanced.close();
    return Promise.resolve();
  }

  /** Certificates renewed on disk serve new connections. @throws SAT_PLG_TLS_FILE when those of the start do not fit. */
  private followTls(tls: ClientTlsSettings): void {
    const { clock, log, metrics } = this.settings;
    try {
      checkTlsMaterial(tls);
    } catch (error) {
      throw new SatelliteError(GRPC_CLIENT_ERRORS.tlsFile, SatelliteError.from(error).message, { cause: error });
    }
    const follower = new TlsFollower(tls, {
      clock,
      // It was not null before, so it is not now: enable_tls decides.
      read: async () => (await readTlsSettings(this.config))!,
      onRenewed: (renewed) => {
        this.balanced.reloadTls(renewed);
        metrics.counter(GRPC_CLIENT_METRICS.tlsReloads, { result: 'ok' }).value++;
        log.info('the TLS files for the backends have changed and are used for new connections');
      },
      onRefused: (error) => {
        metrics.counter(GRPC_CLIENT_METRICS.tlsReloads, { result: 'error' }).value++;
        log.error('the TLS files for the backends have changed and cannot be used; the old ones stay in use', {
          error: SatelliteError.from(error).message,
        });
      },
    });
    this.tlsFollower = follower;
    if (tls.cert === undefined) return;
    const read = (): number => follower.expiryMs / 1000;
    this.removeExpiryGauge = metrics.gauge(GRPC_CLIENT_METRICS.certificateExpiry, {}, read);
    if (follower.expiryMs <= clock.wallNow()) log.warn('the certificate shown to the backends has expired');
  }
}
