/** What can stand between the fleet and the OAPs: the product, the yardsticks, or nothing. */
import { SatelliteProcess } from '../src/lab/demo/index.js';
import { componentPath } from '../test/support/components.js';
import { ENVOY } from './peers/envoy.js';
import { HAPROXY } from './peers/haproxy.js';
import { startNodePeer } from './peers/node-peer.js';
import { startProxy } from './peers/proxy.js';

export interface Middle {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<unknown>;
}

export const MIDDLE_NAMES = ['satellite', 'relay', 'haproxy', 'envoy', 'direct'] as const;
export type MiddleName = (typeof MIDDLE_NAMES)[number];

export interface MiddleSettings {
  readonly oapPorts: readonly number[];
  /** Variables of the satellite. */
  readonly env: Readonly<Record<string, string>>;
  /** Options for the satellite's node, for profiles. */
  readonly nodeArguments: readonly string[];
  /** The satellite's configuration file, when it is not the shipped one. */
  readonly configuration?: string;
}

/** Why a middle cannot be measured here; null when it can. */
export function whyMissing(name: MiddleName): string | null {
  if (name !== 'envoy' && name !== 'haproxy') return null;
  try {
    componentPath(name);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export async function startMiddle(name: MiddleName, settings: MiddleSettings): Promise<Middle> {
  const { oapPorts } = settings;
  switch (name) {
    case 'satellite':
      return SatelliteProcess.start(oapPorts, settings);
    case 'relay':
      return startNodePeer('./byte-relay.js', ['--backend', oapPorts.map((port) => `127.0.0.1:${port}`).join(',')]);
    case 'envoy':
      return startProxy(ENVOY, oapPorts);
    case 'haproxy':
      return startProxy(HAPROXY, oapPorts);
    case 'direct':
      return { pid: process.pid, port: oapPorts[0] ?? 0, stop: () => Promise.resolve() };
  }
}
