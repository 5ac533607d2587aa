/** What a satellite has open, by whom it is for. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Descriptors {
  readonly fromSources: number;
  readonly toOaps: number;
  /** Files, pipes, listening sockets, whatever else; connections that read metrics are left out, for these are ours. */
  readonly others: number;
}

export interface KnownPorts {
  readonly grpc: number;
  readonly metrics: number;
  readonly oaps: readonly number[];
}

interface Connection {
  readonly localPort: number;
  readonly remotePort: number;
}

export function readDescriptors(pid: number, ports: KnownPorts): Descriptors {
  const links = readLinks(`/proc/${pid}/fd`);
  const connections = readConnections();
  const counts = { fromSources: 0, toOaps: 0, others: 0 };
  for (const link of links) {
    const connection = connections.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '');
    if (connection === undefined || connection.remotePort === 0) counts.others++;
    else if (connection.localPort === ports.grpc) counts.fromSources++;
    else if (ports.oaps.includes(connection.remotePort)) counts.toOaps++;
    else if (connection.localPort !== ports.metrics) counts.others++;
  }
  return counts;
}

function readLinks(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** TCP sockets of the machine by inode. @shape see proc(5), /proc/net/tcp */
function readConnections(): Map<string, Connection> {
  const connections = new Map<string, Connection>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const fields = line.trim().split(/\s+/);
    const [localPort, remotePort] = [fields[1], fields[2]].map((address) => parseInt(address?.split(':')[1] ?? '', 16));
    const inode = fields[9];
    if (inode === undefined || localPort === undefined || remotePort === undefined) continue;
    connections.set(inode, { localPort, remotePort });
  }
  return connections;
}
