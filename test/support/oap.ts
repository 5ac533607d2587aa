/** A real SkyWalking OAP with storage in memory (test/e2e/oap), the judge of what arrived. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentPath } from './components.js';
import { scrape, sumOf } from './exposition.js';
import { findFreePorts } from './ports.js';
import { Child } from './process.js';
import { repositoryUrl } from './repository.js';

/** 11 s on an idle machine of 2 cores. */
const READY_WITHIN_MS = 120_000;
const MAIN_CLASS = 'org.apache.skywalking.oap.server.starter.OAPServerStartUp';

export interface OapSettings {
  /** That of one that was killed, to come back; any free one when absent. */
  readonly grpcPort?: number;
  /** What callers must send as `authentication`. */
  readonly token?: string;
}

export class Oap {
  readonly grpcPort: number;
  private readonly metricsPort: number;
  private readonly child: Child;

  private constructor(child: Child, grpcPort: number, metricsPort: number) {
    this.child = child;
    this.grpcPort = grpcPort;
    this.metricsPort = metricsPort;
  }

  static async start(settings: OapSettings = {}): Promise<Oap> {
    const [anyPort, restPort, metricsPort] = (await findFreePorts(3)) as [number, number, number];
    const { grpcPort = anyPort, token = '' } = settings;
    const jars = `${dirname(componentPath('oap'))}/*`;
    const child = new Child({
      name: 'OAP',
      command: 'java',
      args: [
        '-Xmx700m',
        '-XX:TieredStopAtLevel=1',
        '-cp',
        `${fileURLToPath(repositoryUrl('test/e2e/oap'))}:${jars}`,
        MAIN_CLASS,
      ],
      env: {
        SATELLITE_TEST_OAP_GRPC_PORT: `${grpcPort}`,
        SATELLITE_TEST_OAP_REST_PORT: `${restPort}`,
        SATELLITE_TEST_OAP_METRICS_PORT: `${metricsPort}`,
        SATELLITE_TEST_OAP_TOKEN: token,
      },
    });
    const oap = new Oap(child, grpcPort, metricsPort);
    // Its metrics page opens early; the uptime series comes when every module runs.
    await child.waitReady(READY_WITHIN_MS, async () => sumOf(await scrape(oap.metricsUrl), 'uptime') > 0);
    return oap;
  }

  /** Access-log entries received since the start; the page lags some 10 s behind. */
  async readEntries(): Promise<number> {
    return sumOf(await scrape(this.metricsUrl), 'envoy_als_in_count');
  }

  async stop(): Promise<void> {
    await this.child.kill();
  }

  private get metricsUrl(): string {
    return `http://127.0.0.1:${this.metricsPort}/metrics`;
  }
}
