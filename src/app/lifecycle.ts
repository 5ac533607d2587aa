/** One run of the process: from a configuration to an exit code, signals and drain in between. */
import { SatelliteError, systemClock, systemRandom } from '../base/index.js';
import { MemoryBudget } from '../core/budget.js';
import type { PluginSet } from '../core/plugin-set.js';
import type { ProcessSettings } from '../core/plugin.js';
import type { SatelliteConfig } from './config/index.js';
import {
  MetricsRegistry,
  createLog,
  openStandardOutput,
  registerSelfMetrics,
  startExporters,
} from './telemetry/index.js';
import type { Exporters, ProcessLog } from './telemetry/index.js';
import { describeEnd } from './describe-books.js';
import { Health } from './health.js';
import { waitForStop } from './stop-signal.js';
import { superviseProcess } from './supervisor.js';
import { Topology } from './topology.js';

export interface RunOptions {
  /** Time from the signal to the exit. */
  readonly shutdownHookMs: number;
  readonly version: string;
  /** Where the configuration came from, for the log: without a flag there are several places. */
  readonly configFile: string;
}

/** Of the shutdown time: how much the sources may take to leave, and what is kept back for closing. */
const SERVER_DRAIN_SHARE = 0.4;
const CLOSE_RESERVE_SHARE = 0.1;

const MEBIBYTE = 1024 * 1024;

const EXIT_DONE = 0;
const EXIT_FAILED = 1;

/** Runs until SIGTERM or SIGINT; resolves to the exit code. What fails the start is logged and gives 1. */
export async function runSatellite(config: SatelliteConfig, plugins: PluginSet, options: RunOptions): Promise<number> {
  const clock = systemClock;
  const log = createLog(config.logger, clock, openStandardOutput());
  const { cluster, service, instance } = config.telemetry;
  const metrics = new MetricsRegistry({ cluster, service, instance });
  const budget = new MemoryBudget(config.resources.memory_limit);
  registerSelfMetrics(metrics, budget, options.version);
  const settings: ProcessSettings = { clock, random: systemRandom, log, metrics, budget };

  const supervisor = superviseProcess(log, metrics);
  const stop = waitForStop(log);
  let exporters: Exporters | null = null;
  let topology: Topology | null = null;
  try {
    topology = new Topology(config, plugins, settings);
    const health = new Health(topology);
    exporters = await startExporters(metrics, config.telemetry);
    if (exporters.endpoint !== null) health.serve(exporters.endpoint);
    for (const server of topology.servers.values()) server.followReadiness?.(() => health.isReady());
    await topology.start();
    logStarted(topology, exporters, config, log, options);
    await stop.requested;
    endOnTime(log, options.shutdownHookMs);
    health.beginDrain();
    await drain(topology, log, options.shutdownHookMs);
    return EXIT_DONE;
  } catch (thrown) {
    const error = SatelliteError.from(thrown);
    log.error(`start failed: ${error.message}`, { code: error.code });
    return EXIT_FAILED;
  } finally {
    await topology?.close();
    await exporters?.close();
    stop.dispose();
    supervisor.dispose();
    log.flush();
  }
}

async function drain(topology: Topology, log: ProcessLog, shutdownHookMs: number): Promise<void> {
  const startMs = systemClock.now();
  const serverDeadlineMs = startMs + shutdownHookMs * SERVER_DRAIN_SHARE;
  const pipeDeadlineMs = startMs + shutdownHookMs * (1 - CLOSE_RESERVE_SHARE);
  const before = topology.pipes.map((pipe) => pipe.ledger.snapshot());
  await topology.drain(serverDeadlineMs, pipeDeadlineMs);
  for (const [index, pipe] of topology.pipes.entries()) {
    const after = pipe.ledger.snapshot();
    const text = describeEnd(before[index] ?? after, after);
    if (text !== null) log.info(text, { pipe: pipe.name });
  }
}

/** Whatever hangs while it closes: the time that was given is kept. */
function endOnTime(log: ProcessLog, shutdownHookMs: number): void {
  systemClock.setTimer(shutdownHookMs, () => {
    log.error('something did not close within the shutdown time; ending without it');
    log.flush();
    process.exit(EXIT_FAILED);
  });
}

function logStarted(
  topology: Topology,
  exporters: Exporters,
  config: SatelliteConfig,
  log: ProcessLog,
  { version, configFile }: RunOptions,
): void {
  const listening = [...topology.servers].map(([name, server]) => `${name} on ${server.boundAddress}`);
  const { address } = config.telemetry.prometheus;
  if (exporters.endpoint !== null) listening.push(`metrics on ${address}`);
  log.info(`satellite ${version} started: ${listening.join(', ')}`, {
    config: configFile,
    pipes: String(topology.pipes.length),
    memory_limit: `${Math.round(config.resources.memory_limit / MEBIBYTE)}MiB`,
  });
}
