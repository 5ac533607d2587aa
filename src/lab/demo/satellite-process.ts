/** The product itself, started as a user starts it: the shipped configuration, addresses by environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../../base/index.js';
import { findFreePorts } from './free-ports.js';
import { scrapeSatellite, type SatelliteMetrics } from './satellite-metrics.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
/** As `bin/satellite` starts it. */
const NODE_FLAGS = readFileSync(new URL('../../../../bin/node-flags', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const CONFIG = fileURLToPath(new URL('../../../../configs/satellite_config.yaml', import.meta.url));
/** A start takes a fraction of a second; a loaded machine gets its time. @units ms */
const READY_TIMEOUT_MS = 15_000;
const READY_STEP_MS = 50;
/** The program's own shutdown is bounded by `shutdown_hook_time`, 5 s. @units ms */
const STOP_TIMEOUT_MS = 10_000;
/** Of its log, enough to say why it died. */
const KEPT_LOG_CHARS = 8192;

export interface SatellitePorts {
  readonly grpc: number;
  readonly metrics: number;
}

/** What may differ from how a user starts it. */
export interface SatelliteSettings {
  /** Absent: free ones. */
  readonly ports?: SatellitePorts;
  /** Further SATELLITE_* variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options for node itself. */
  readonly nodeArguments?: readonly string[];
  /** Path of another configuration file that knows the same variables for its addresses. */
  readonly configuration?: string;
}

export class SatelliteProcess {
  readonly port: number;
  readonly metricsPort: number;
  private readonly child: ChildProcess;
  private readonly clock: Clock;
  private log = '';

  private constructor(child: ChildProcess, port: number, metricsPort: number, clock: Clock) {
    this.child = child;
    this.port = port;
    this.metricsPort = metricsPort;
    this.clock = clock;
    const keep = (text: Buffer): void => {
      this.log = (this.log + text.toString('utf8')).slice(-KEPT_LOG_CHARS);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  /**
   * @param oapPorts ports of the OAPs on the loopback address
   * @throws when it is not ready in time, with its last log lines.
   */
  static async start(oapPorts: readonly number[], settings: SatelliteSettings = {}): Promise<SatelliteProcess> {
    const { grpc: port, metrics: metricsPort } = settings.ports ?? (await findPorts());
    const { env = {}, nodeArguments = [], configuration = CONFIG } = settings;
    const child = spawn(process.execPath, [...NODE_FLAGS, ...nodeArguments, MAIN, 'start', '-c', configuration], {
      env: {
        ...withoutSatelliteVariables(process.env),
        SATELLITE_GRPC_ADDRESS: `127.0.0.1:${port}`,
        SATELLITE_GRPC_CLIENT: oapPorts.map((oapPort) => `127.0.0.1:${oapPort}`).join(','),
        SATELLITE_TELEMETRY_PROMETHEUS_ADDRESS: `127.0.0.1:${metricsPort}`,
        SATELLITE_TELEMETRY_EXPORT_TYPE: 'prometheus',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C ends it when the demo says so, after the books are read.
      detached: true,
    });
    const satellite = new SatelliteProcess(child, port, metricsPort, systemClock);
    killWithUs(child);
    await satellite.waitReady();
    return satellite;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  metrics(): Promise<SatelliteMetrics> {
    return scrapeSatellite(this.metricsPort);
  }

  /** SIGTERM, then its exit code; null when it had to be killed. */
  async stop(): Promise<number | null> {
    if (!this.hasExited) {
      const exited = new Promise<void>((resolve) => {
        this.child.once('exit', () => {
          resolve();
        });
      });
      const timer = this.clock.setTimer(STOP_TIMEOUT_MS, () => this.child.kill('SIGKILL'));
      this.child.kill('SIGTERM');
      await exited;
      timer.cancel();
    }
    return this.child.exitCode;
  }

  private async waitReady(): Promise<void> {
    const giveUpMs = this.clock.now() + READY_TIMEOUT_MS;
    while (!(await this.isReady())) {
      if (this.hasExited || this.clock.now() > giveUpMs) {
        await this.stop();
        throw new Error(`the satellite did not start; its last words:\n${this.log}`);
      }
      await new Promise<void>((resolve) => {
        this.clock.setTimer(READY_STEP_MS, resolve);
      });
    }
  }

  private async isReady(): Promise<boolean> {
    if (!(await accepts(this.port))) return false;
    return this.metrics().then(
      () => true,
      () => false,
    );
  }
}

async function findPorts(): Promise<SatellitePorts> {
  const [grpc = 0, metrics = 0] = await findFreePorts(2);
  return { grpc, metrics };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', () => {
      resolve(false);
    });
  });
}

/** A crash of this process must not leave the child behind. */
function killWithUs(child: ChildProcess): void {
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.on('exit', kill);
  child.once('exit', () => {
    process.off('exit', kill);
  });
}

/** The user's own variables would change what is shown. */
function withoutSatelliteVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('SATELLITE_')));
}
