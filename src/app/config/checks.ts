/** Checks between the parts of a configuration, each of which is right by itself. */
import type { TelemetryConfig } from './config.js';
import { joinPath, positionOf } from './decode.js';
import type { Section } from './decode.js';
import type { SharedPlugins } from './decode-sharing.js';
import { CONFIG_ERRORS } from './errors.js';
import { nodeAt } from './node.js';
import type { Position, Problems } from './problem.js';

/** What must not occur twice; empty texts where the file has none. */
export interface PipeIdentity {
  readonly section: Section;
  readonly name: string;
  readonly receiver: string;
  readonly server: string;
}

/** Two pipes of one name, or one receiver twice on a server: its methods can be registered only once. */
export function checkDuplicates(pipes: readonly PipeIdentity[], problems: Problems): void {
  for (const [index, { section, name, receiver, server }] of pipes.entries()) {
    const earlier = pipes.slice(0, index);
    const twin = earlier.find((pipe) => pipe.name === name && name !== '');
    if (twin !== undefined) {
      const message = `a pipe called "${name}" stands in line ${lineOf(twin)} already`;
      problems.error(CONFIG_ERRORS.duplicate, section.path, section.position, message, 'Give this one another name.');
    }
    const rival = earlier.find((pipe) => pipe.receiver === receiver && pipe.server === server && receiver !== '');
    if (rival !== undefined) {
      const message = `${receiver} is on ${server} already, in the pipe of line ${lineOf(rival)}`;
      const path = joinPath(section.path, 'gatherer.receiver');
      problems.error(CONFIG_ERRORS.duplicate, path, section.position, message, 'Keep it in one pipe.');
    }
  }
}

function lineOf(pipe: PipeIdentity): number {
  return pipe.section.position?.line ?? 0;
}

interface Listener {
  readonly path: string;
  readonly position: Position | null;
  readonly host: string;
  readonly port: number;
}

const EXPORTER_ADDRESS = ['telemetry', 'prometheus', 'address'];
const ANY_HOST = new Set(['', '0.0.0.0', '::', '[::]', '*']);

/** Two listeners that would take the same port. Port 0 is chosen by the system and never clashes. */
export function checkPorts(
  servers: SharedPlugins,
  root: Section,
  telemetry: TelemetryConfig,
  problems: Problems,
): void {
  const listeners: Listener[] = [];
  if (telemetry.export_type.includes('prometheus')) {
    const position = root.node === undefined ? undefined : nodeAt(root.node, EXPORTER_ADDRESS)?.position;
    addListener(listeners, telemetry.prometheus.address, EXPORTER_ADDRESS.join('.'), position ?? null);
  }
  for (const server of servers.plugins) {
    const { address } = server.options as { readonly address?: unknown };
    const path = joinPath(server.section.path, 'address');
    if (typeof address === 'string') addListener(listeners, address, path, positionOf(server.section, 'address'));
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
  if (match !== null) listeners.push({ path, position, host: match[1] ?? '', port: Number(match[2]) });
}

function clash(a: Listener, b: Listener): boolean {
  return a.port === b.port && a.port !== 0 && (a.host === b.host || ANY_HOST.has(a.host) || ANY_HOST.has(b.host));
}
