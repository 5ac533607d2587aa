/** Checks between the parts of a configuration, each of which is right by itself. */
import type { TelemetryConfig } from './config.js';
import { joinPath, positionOf } from './decode.js';
import type { Section } from './decode.js';
import type { DecodedPipe } from './decode-pipes.js';
import type { Sharing } from './decode-sharing.js';
import { CONFIG_ERRORS } from './errors.js';
import type { Position, Problems } from './problem.js';

/** Two pipes of one name, or one receiver twice on a server: its methods can be registered only once. */
export function checkDuplicates(pipes: readonly DecodedPipe[], problems: Problems): void {
  const byName = new Map<string, DecodedPipe>();
  const byReceiver = new Map<string, DecodedPipe>();
  for (const pipe of pipes) {
    const { section } = pipe;
    const line = (other: DecodedPipe): number => other.section.position?.line ?? 0;
    const twin = byName.get(pipe.name);
    if (twin !== undefined) {
      const message = `a pipe called "${pipe.name}" stands in line ${line(twin)} already`;
      problems.error(CONFIG_ERRORS.duplicate, section.path, section.position, message, 'Give this one another name.');
    }
    byName.set(pipe.name, twin ?? pipe);
    const { receiver, serverName } = pipe.gatherer;
    const place = `${serverName} ${receiver.name}`;
    const rival = byReceiver.get(place);
    if (rival !== undefined) {
      const message = `${receiver.name} is on ${serverName} already, in the pipe "${rival.name}" (line ${line(rival)})`;
      const path = joinPath(section.path, 'gatherer.receiver');
      problems.error(CONFIG_ERRORS.duplicate, path, section.position, message, 'Keep it in one pipe.');
    }
    byReceiver.set(place, rival ?? pipe);
  }
}

interface Listener {
  readonly path: string;
  readonly position: Position | null;
  readonly host: string;
  readonly port: number;
}

const ANY_HOST = new Set(['', '0.0.0.0', '::', '[::]', '*']);

/** Two listeners that would take the same port. Port 0 is chosen by the system and never clashes. */
export function checkPorts(sharing: Sharing, root: Section, telemetry: TelemetryConfig, problems: Problems): void {
  const listeners: Listener[] = [];
  for (const server of sharing.servers) {
    const address = (server.options as { readonly address?: unknown }).address;
    const path = joinPath(server.section.path, 'address');
    if (typeof address === 'string') addListener(listeners, address, path, positionOf(server.section, 'address'));
  }
  if (telemetry.export_type.includes('prometheus')) {
    const section = root.node?.entries.get('telemetry')?.value;
    const prometheus = section?.kind === 'map' ? section.entries.get('prometheus')?.value : undefined;
    const address = prometheus?.kind === 'map' ? prometheus.entries.get('address')?.value : undefined;
    const position = address?.position ?? section?.position ?? null;
    addListener(listeners, telemetry.prometheus.address, 'telemetry.prometheus.address', position);
  }
  for (const [index, listener] of listeners.entries()) {
    const rival = listeners.slice(0, index).find((other) => clash(other, listener));
    if (rival === undefined) continue;
    const message = `port ${listener.port} is taken by ${rival.path} already`;
    const remedy = 'Choose another port.';
    problems.error(CONFIG_ERRORS.portClash, listener.path, listener.position, message, remedy);
  }
}

function addListener(listeners: Listener[], address: string, path: string, position: Position | null): void {
  const match = /^(.*):(\d+)$/.exec(address.trim());
  if (match !== null) listeners.push({ path, position, host: match[1]!, port: Number(match[2]) });
}

function clash(a: Listener, b: Listener): boolean {
  return a.port === b.port && a.port !== 0 && (a.host === b.host || ANY_HOST.has(a.host) || ANY_HOST.has(b.host));
}
