/** What can stand between the fleet and the OAPs: the product, the yardsticks, or nothing. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SatelliteProcess } from '../src/lab/demo/index.js';
import { startEnvoyProxy } from './peers/envoy-proxy.js';

export interface Middle {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export type MiddleName = 'satellite' | 'relay' | 'envoy' | 'direct';
export const MIDDLE_NAMES: readonly MiddleName[] = ['satellite', 'relay', 'envoy', 'direct'];

const BYTE_RELAY = fileURLToPath(new URL('./peers/byte-relay.js', import.meta.url));

/** @param nodeArguments options for node, for profiles */
export async function startMiddle(
  name: MiddleName,
  oapPorts: readonly number[],
  nodeArguments: readonly string[],
): Promise<Middle> {
  switch (name) {
    case 'satellite':
      return startSatellite(oapPorts, nodeArguments);
    case 'relay':
      return startRelay(oapPorts);
    case 'envoy':
      return startEnvoyProxy(oapPorts);
    case 'direct':
      return { pid: process.pid, port: oapPorts[0] ?? 0, stop: () => Promise.resolve() };
  }
}

async function startSatellite(oapPorts: readonly number[], nodeArguments: readonly string[]): Promise<Middle> {
  const satellite = await SatelliteProcess.start(oapPorts, {}, nodeArguments);
  return {
    pid: satellite.pid,
    port: satellite.port,
    stop: async () => {
      await satellite.stop();
    },
  };
}

async function startRelay(oapPorts: readonly number[]): Promise<Middle> {
  const backends = oapPorts.map((port) => `127.0.0.1:${port}`).join(',');
  const child = spawn(process.execPath, [BYTE_RELAY, '--backend', backends], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => {
      reject(new Error('the byte relay ended at its start'));
    });
    createInterface(child.stdout).once('line', (line) => {
      resolve(Number(line.replace('listening ', '')));
    });
  });
  return {
    pid: child.pid ?? 0,
    port,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.stdin.end();
      }),
  };
}
