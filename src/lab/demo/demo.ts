/** `satellite demo`: OAPs, a satellite and Envoys, each in a process of its own, and a live view on them. */
import { type Clock, systemClock } from '../../base/index.js';
import { compareBooks } from '../compare-books.js';
import { RemoteFleet, RemoteOap } from '../process/index.js';
import { DEFAULT_DEMO_OPTIONS, type DemoIo, type DemoOptions } from './options.js';
import { runForOwnEnvoys } from './own-envoys.js';
import { pause } from './pause.js';
import { compareSamples, type Sample } from './sample.js';
import { SatelliteProcess } from './satellite-process.js';
import { Screen } from './screen.js';
import { summarise } from './summary.js';

const SAMPLE_MS = 1000;
/** Windows, linger and retries are over long before. @units ms */
const SETTLE_MS = 15_000;
const SETTLE_STEP_MS = 200;
/** The first sixth of the time, connections and compiled code in the making, is left out of the cost. */
const WARM_UP_DIVISOR = 6;
/** Uneven as meshes are: the busiest of 150 Envoys sends 17 % of all. */
const ZIPF_SKEW = 1;

/** @returns the exit code: 0 when the books balance. */
export async function runDemo(options: Partial<DemoOptions>, io: DemoIo): Promise<number> {
  const all = { ...DEFAULT_DEMO_OPTIONS, ...options };
  if (all.envoys === 0) return runForOwnEnvoys(all, io);
  const demo = new Demo(all, io, systemClock);
  try {
    return await demo.run();
  } finally {
    await demo.close();
  }
}

class Demo {
  private readonly options: DemoOptions;
  private readonly io: DemoIo;
  private readonly clock: Clock;
  private readonly screen: Screen;
  private readonly oaps: RemoteOap[] = [];
  private satellite: SatelliteProcess | null = null;
  private fleet: RemoteFleet | null = null;
  /** Index of the OAP that is dead now; -1: all live. */
  private deadOap = -1;

  constructor(options: DemoOptions, io: DemoIo, clock: Clock) {
    this.options = options;
    this.io = io;
    this.clock = clock;
    this.screen = new Screen(io, options);
  }

  async run(): Promise<number> {
    const { options } = this;
    for (let number = 0; number < options.oaps; number++) this.oaps.push(await RemoteOap.start({ seed: number + 1 }));
    const satellite = await SatelliteProcess.start(this.oaps.map((oap) => oap.port));
    this.satellite = satellite;
    this.screen.say(
      `satellite on 127.0.0.1:${satellite.port}, OAPs on ${this.oaps.map((oap) => oap.port).join(', ')}; Ctrl-C ends it early`,
    );
    const fleet = await RemoteFleet.start({
      port: satellite.port,
      envoys: options.envoys,
      entriesPerSecond: options.rate,
      zipfSkew: ZIPF_SKEW,
      seconds: options.seconds + 5,
    });
    this.fleet = fleet;
    const first = await this.takeSample(satellite, fleet);
    const { warm, loaded } = await this.watch(satellite, fleet, first);
    await fleet.stop();
    await this.settle(satellite);
    const last = await this.takeSample(satellite, fleet);
    const exitCode = await satellite.stop();
    const reports = (await Promise.all(this.oaps.map((oap) => oap.books()))).flat();
    const books = compareBooks(await fleet.entriesByEnvoy(), reports);
    const summary = summarise(last, compareSamples(warm, loaded), books, options.killOne);
    for (const line of summary.lines) this.screen.say(line);
    if (exitCode !== 0) this.screen.say(`The satellite ended with code ${exitCode ?? 'none'}.`);
    return summary.isBalanced && exitCode === 0 ? 0 : 1;
  }

  async close(): Promise<void> {
    await this.fleet?.close();
    await this.satellite?.stop();
    await Promise.all(this.oaps.map((oap) => oap.close()));
  }

  /** Shows a sample each second until the time is over. @returns the one after the start-up, and the last. */
  private async watch(
    satellite: SatelliteProcess,
    fleet: RemoteFleet,
    first: Sample,
  ): Promise<{ readonly warm: Sample; readonly loaded: Sample }> {
    const { seconds, killOne, oaps } = this.options;
    let warm = first;
    let previous = first;
    for (let second = 1; second <= seconds && !this.io.signal.aborted; second++) {
      await pause(this.clock, first.atMs + second * SAMPLE_MS - this.clock.now(), this.io.signal);
      const sample = await this.takeSample(satellite, fleet);
      this.screen.show(second, sample, compareSamples(previous, sample), this.deadOap);
      previous = sample;
      if (second <= seconds / WARM_UP_DIVISOR) warm = sample;
      if (!killOne) continue;
      if (second === Math.ceil(seconds / 3)) await this.killOap(oaps - 1);
      if (second === Math.ceil((seconds * 2) / 3)) await this.reviveOap();
    }
    if (this.deadOap >= 0) await this.reviveOap();
    return { warm, loaded: previous };
  }

  private async killOap(index: number): Promise<void> {
    this.deadOap = index;
    await this.oaps[index]?.kill();
    if (!this.io.isTerminal) this.screen.say(`OAP ${index + 1} is dead now`);
  }

  private async reviveOap(): Promise<void> {
    await this.oaps[this.deadOap]?.revive();
    if (!this.io.isTerminal) this.screen.say(`OAP ${this.deadOap + 1} is back`);
    this.deadOap = -1;
  }

  /** Waits until the satellite holds nothing any more. */
  private async settle(satellite: SatelliteProcess): Promise<void> {
    const giveUpMs = this.clock.now() + SETTLE_MS;
    while ((await satellite.metrics()).held > 0 && this.clock.now() < giveUpMs) await this.wait(SETTLE_STEP_MS);
  }

  private async takeSample(satellite: SatelliteProcess, fleet: RemoteFleet): Promise<Sample> {
    const [fleetStats, satelliteMetrics, ...oaps] = await Promise.all([
      fleet.stats(),
      satellite.metrics(),
      ...this.oaps.map(async (oap) => {
        const stats = await oap.stats();
        await oap.resetLatency();
        return stats;
      }),
    ]);
    return { atMs: this.clock.now(), fleet: fleetStats, oaps, satellite: satelliteMetrics };
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.setTimer(Math.max(0, ms), resolve);
    });
  }
}
