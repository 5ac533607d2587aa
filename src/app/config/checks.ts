/** Checks between the parts of a configuration, each of which is right by itself. */
import { parseServerList } from '../../core/balance/index.js';
import type { ServerEntry } from '../../core/balance/index.js';
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
  addServers(listeners, servers);
  for (const [index, listener] of listeners.entries()) {
    const rival = listeners.slice(0, index).find((other) => clash(other, listener));
    if (rival === undefined) continue;
    const message = `port ${listener.port} is taken by ${rival.path} already`;
    const remedy = 'Choose another port.';
    problems.error(CONFIG_ERRORS.portClash, listener.path, listener.position, message, remedy);
  }
}

/** A client whose backend is one of our own servers: data would go round for ever, or be dropped as not understood. */
export function checkLoops(clients: SharedPlugins, servers: SharedPlugins, problems: Problems): void {
  const listeners: Listener[] = [];
  addServers(listeners, servers);
  for (const { section, options } of clients.plugins) {
    const { server_addr: list } = options as { readonly server_addr?: unknown };
    if (typeof list !== 'string') continue;
    for (const entry of parseServerList(list).entries) {
      const own = listeners.find((listener) => isReachedBy(listener, entry));
      if (own === undefined) continue;
      const path = joinPath(section.path, 'server_addr');
      const message = `port ${own.port} of this machine is our own ${own.path}: what is forwarded would come back`;
      problems.warn(
        CONFIG_ERRORS.loop,
        path,
        positionOf(section, 'server_addr'),
        message,
        'Name the OAP backends here.',
      );
    }
  }
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[?::1\]?)$/i;

function isReachedBy(listener: Listener, entry: ServerEntry): boolean {
  const target = entry.kind === 'name' ? entry : entry.endpoint.address;
  if ('kind' in target && target.kind === 'unix') return false;
  const { host, port } = target;
  if (port !== listener.port) return false;
  return (
    host === listener.host || (LOOPBACK.test(host) && (ANY_HOST.has(listener.host) || LOOPBACK.test(listener.host)))
  );
}

function addServers(listeners: Listener[], servers: SharedPlugins): void {
  for (const { section, options } of servers.plugins) {
    const { address } = options as { readonly address?: unknown };
    const path = joinPath(section.path, 'address');
    if (typeof address === 'string') addListener(listeners, address, path, positionOf(section, 'address'));
  }
}

function addListener(listeners: Listener[], address: string, path: string, position: Position | null): void {
  const match = /^(.*):(\d+)$/.exec(address.trim());
  if (match !== null) listeners.push({ path, position, host: match[1] ?? '', port: Number(match[2]) });
}

function clash(a: Listener, b: Listener): boolean {
  return a.port === b.port && a.port !== 0 && (a.host === b.host || ANY_HOST.has(a.host) || ANY_HOST.has(b.host));
}
