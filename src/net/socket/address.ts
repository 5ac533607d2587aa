/** Addresses as users write them. */
import type { Peer } from '../grpc/contract.js';
import type { SocketAddress } from './contract.js';

/** What the kernel takes; node cuts a longer path in silence and listens elsewhere. */
const MAX_UNIX_PATH_BYTES = 107;

/**
 * `host:port`, `[v6]:port`, `:port` (all interfaces, both families) or, on the network `unix`, a path.
 * @returns null when it is none of these.
 */
export function parseAddress(text: string, network: 'tcp' | 'tcp4' | 'tcp6' | 'unix' = 'tcp'): SocketAddress | null {
  if (network === 'unix') {
    return text === '' || Buffer.byteLength(text) > MAX_UNIX_PATH_BYTES ? null : { kind: 'unix', path: text };
  }
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[3] ?? NaN);
  if (match === null || !(port <= 65_535)) return null;
  const host = match[1] ?? match[2]!;
  if (host !== '') return { kind: 'tcp', host, port };
  return { kind: 'tcp', host: network === 'tcp4' ? '0.0.0.0' : network === 'tcp6' ? '::' : '', port };
}

/** `host:port`, with brackets around IPv6, or the path. */
export function formatAddress(address: SocketAddress): string {
  if (address.kind === 'unix') return address.path;
  return address.host.includes(':')
    ? `[${address.host}]:${String(address.port)}`
    : `${address.host}:${String(address.port)}`;
}

/** The peer of an accepted or dialled socket. */
export function peerOf(host: string | undefined, port: number | undefined, path: string, isTls: boolean): Peer {
  if (host === undefined) return { host: path, port: 0, isTls };
  // IPv4 on a dual-stack socket comes mapped; a zone only means something on this machine.
  const plain = host.startsWith('::ffff:') && host.includes('.') ? host.slice(7) : host;
  return { host: plain.split('%', 1)[0]!, port: port ?? 0, isTls };
}

/** A peer for log lines. */
export function formatPeer(peer: Peer): string {
  return peer.port === 0 ? peer.host : formatAddress({ kind: 'tcp', host: peer.host, port: peer.port });
}
