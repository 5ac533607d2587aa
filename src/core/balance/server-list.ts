/** `server_addr`: where the backends are, as users write it. */
import type { ResolvedEndpoint } from './resolver.js';

/** OAP's gRPC port. */
export const DEFAULT_PORT = 11_800;

/** One item of the list. */
export type ServerEntry =
  /** Needs no look-up: an IP literal or a unix socket. */
  | { readonly kind: 'fixed'; readonly endpoint: ResolvedEndpoint }
  /** A host name, to be resolved. */
  | { readonly kind: 'name'; readonly host: string; readonly port: number };

/** The list read, and what is wrong with it, one sentence for each bad item. */
export interface ServerList {
  readonly entries: readonly ServerEntry[];
  readonly problems: readonly string[];
}

const UNIX = /^unix:(?:\/\/)?(.+)$/;
const BRACKETED = /^\[([0-9a-fA-F:.]+(?:%[^\]]+)?)\](?::(\d{1,5}))?$/;
const BARE_IPV6 = /^[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F.]*(?:%.+)?$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const HOST = /^([A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?)(?::(\d{1,5}))?$/;

/**
 * Reads a comma list of `host`, `host:port`, `v4`, `v4:port`, `v6`, `[v6]`, `[v6]:port` and `unix:path`. Blanks around
 * items and empty items do not count.
 */
export function parseServerList(text: string): ServerList {
  const entries: ServerEntry[] = [];
  const problems: string[] = [];
  for (const part of text.split(',')) {
    const item = part.trim();
    if (item === '') continue;
    const entry = parseEntry(item);
    if (entry === undefined) problems.push(`"${item}" is no address: write host, host:port, [v6]:port or unix:path`);
    else entries.push(entry);
  }
  return { entries, problems };
}

/** An endpoint at an IP address; `name` is what it was found under, null when configured by address. */
export function endpointAt(host: string, port: number, name: string | null): ResolvedEndpoint {
  const label = withPort(host, port);
  return {
    address: { kind: 'tcp', host, port },
    label,
    authority: name === null ? label : withPort(name, port),
    serverName: name,
  };
}

function parseEntry(item: string): ServerEntry | undefined {
  const path = UNIX.exec(item)?.[1];
  if (path !== undefined) {
    const label = `unix:${path}`;
    // As gRPC does: a socket's path is no authority.
    const endpoint = { address: { kind: 'unix', path }, label, authority: 'localhost', serverName: null } as const;
    return { kind: 'fixed', endpoint };
  }
  if (BARE_IPV6.test(item)) return { kind: 'fixed', endpoint: endpointAt(item, DEFAULT_PORT, null) };
  const bracketed = BRACKETED.exec(item);
  const match = bracketed ?? HOST.exec(item);
  if (match === null) return undefined;
  const host = match[1]!;
  const port = match[2] === undefined ? DEFAULT_PORT : Number(match[2]);
  if (port < 1 || port > 65_535) return undefined;
  const isLiteral = bracketed !== null || IPV4.test(host);
  return isLiteral ? { kind: 'fixed', endpoint: endpointAt(host, port, null) } : { kind: 'name', host, port };
}

function withPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
