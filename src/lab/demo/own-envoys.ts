/** `satellite demo --envoys 0`: OAPs, and a satellite on its usual ports for the Envoys of whoever tries it. */
import { systemClock } from '../../base/index.js';
import { RemoteOap } from '../process/index.js';
import type { DemoIo, DemoOptions } from './options.js';
import { pause } from './pause.js';
import type { SatelliteMetrics } from './satellite-metrics.js';
import { SatelliteProcess, type SatellitePorts } from './satellite-process.js';
import { count } from './screen.js';

/** Where every example, the documented Envoy's too, looks for a satellite. */
const USUAL_PORTS: SatellitePorts = { grpc: 11800, metrics: 1234 };
const SAMPLE_MS = 1000;

/** Says what comes in and where it goes, when something does. @returns the exit code: 0 when the satellite ended well. */
export async function runForOwnEnvoys(options: DemoOptions, io: DemoIo, ports = USUAL_PORTS): Promise<number> {
  const oaps: RemoteOap[] = [];
  let satellite: SatelliteProcess | null = null;
  try {
    for (let number = 0; number < options.oaps; number++) oaps.push(await RemoteOap.start({ seed: number + 1 }));
    satellite = await SatelliteProcess.start(
      oaps.map((oap) => oap.port),
      { ports },
    );
    io.write(
      `satellite on 127.0.0.1:${ports.grpc}, its metrics on http://127.0.0.1:${ports.metrics}/metrics; Ctrl-C ends it\n` +
        'Point an Envoy at it: envoy -c docs/snippets/envoy-access-logs.yaml, then curl localhost:10000\n',
    );
    let said = '';
    for (let second = 0; second < options.seconds && !io.signal.aborted; second++) {
      await pause(systemClock, SAMPLE_MS, io.signal);
      const [metrics, ...stats] = await Promise.all([satellite.metrics(), ...oaps.map((oap) => oap.stats())]);
      const line = describe(
        metrics,
        stats.map((oap) => oap.entries),
      );
      if (line !== said && metrics.received > 0) io.write(`${line}\n`);
      said = line;
    }
    return (await satellite.stop()) === 0 ? 0 : 1;
  } finally {
    await satellite?.stop();
    await Promise.all(oaps.map((oap) => oap.close()));
  }
}

function describe({ received, delivered, dropped, held }: SatelliteMetrics, perOap: readonly number[]): string {
  const books = `received ${count(received)} = delivered ${count(delivered)} + dropped ${count(dropped)} + held ${count(held)}`;
  return `${books}   ${perOap.map((entries, index) => `OAP ${index + 1}: ${count(entries)}`).join('   ')}`;
}
