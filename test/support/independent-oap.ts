/**
 * An OAP on @grpc/grpc-js. It reads access logs as OAP does (an identifier switches the node for what follows on the
 * call, the answer comes after half-close) and remembers every HTTP entry by node and path.
 */
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerReadableStream,
  type ServerOptions,
} from '@grpc/grpc-js';
import { SATELLITE_SERVICE, type AccessLogMessage } from './independent-protocol.js';

export class IndependentOap {
  /** HTTP entries: node id, then path, then how often it came. */
  readonly http = new Map<string, Map<string, number>>();
  /** TCP entries by node id. */
  readonly tcp = new Map<string, number>();
  calls = 0;
  httpEntries = 0;
  tcpEntries = 0;
  private server: Server | null = null;
  private readonly options: ServerOptions;
  private readonly credentials: ServerCredentials;
  private boundPort: number;

  constructor(port = 0, options: ServerOptions = {}, credentials = ServerCredentials.createInsecure()) {
    this.boundPort = port;
    this.options = options;
    this.credentials = credentials;
  }

  get port(): number {
    return this.boundPort;
  }

  get address(): string {
    return `127.0.0.1:${this.boundPort}`;
  }

  async start(): Promise<this> {
    const server = new Server({ 'grpc.max_receive_message_length': -1, ...this.options });
    server.addService(SATELLITE_SERVICE.service, {
      StreamAccessLogs: (call: ServerReadableStream<AccessLogMessage, object>, answer: sendUnaryData<object>): void =>
        this.read(call, answer),
    });
    this.boundPort = await new Promise<number>((resolve, reject) => {
      server.bindAsync(this.address, this.credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
    this.server = server;
    return this;
  }

  /** Takes no new calls and ends when those that run are answered. */
  async drain(): Promise<void> {
    const server = this.server;
    this.server = null;
    if (server === null) return;
    await new Promise<void>((resolve, reject) => {
      server.tryShutdown((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  /** Ends at once; calls that run are never answered. */
  kill(): void {
    this.server?.forceShutdown();
    this.server = null;
  }

  private read(call: ServerReadableStream<AccessLogMessage, object>, answer: sendUnaryData<object>): void {
    let node: string | null = null;
    this.calls += 1;
    call.on('data', (message: AccessLogMessage) => {
      node = message.identifier?.node.id ?? node;
      if (node === null) {
        answer({ code: status.INVALID_ARGUMENT, details: 'the first message of the call has no identifier' });
        return;
      }
      this.take(node, message);
    });
    call.on('end', () => answer(null, {}));
    call.on('error', () => {});
  }

  private take(node: string, message: AccessLogMessage): void {
    const paths = getOrAdd(this.http, node);
    for (const entry of message.http_logs?.log_entry ?? []) {
      paths.set(entry.request.path, (paths.get(entry.request.path) ?? 0) + 1);
      this.httpEntries += 1;
    }
    const tcpEntries = message.tcp_logs?.log_entry.length ?? 0;
    this.tcp.set(node, (this.tcp.get(node) ?? 0) + tcpEntries);
    this.tcpEntries += tcpEntries;
  }
}

/** What several OAPs have together. */
export interface Collected {
  /** How often each path of a node came, over all OAPs. */
  readonly http: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly tcp: ReadonlyMap<string, number>;
}

export function collect(oaps: readonly IndependentOap[]): Collected {
  const http = new Map<string, Map<string, number>>();
  const tcp = new Map<string, number>();
  for (const oap of oaps) {
    for (const [node, paths] of oap.http) {
      const sum = getOrAdd(http, node);
      for (const [path, times] of paths) sum.set(path, (sum.get(path) ?? 0) + times);
    }
    for (const [node, entries] of oap.tcp) tcp.set(node, (tcp.get(node) ?? 0) + entries);
  }
  return { http, tcp };
}

function getOrAdd(nodes: Map<string, Map<string, number>>, node: string): Map<string, number> {
  const known = nodes.get(node);
  if (known !== undefined) return known;
  const paths = new Map<string, number>();
  nodes.set(node, paths);
  return paths;
}

/** Differences from "these paths of this node, each once", in words; empty when all is right. */
export function findFaults(paths: ReadonlyMap<string, number>, expected: Iterable<string>): string[] {
  const faults: string[] = [];
  const rest = new Map(paths);
  for (const path of expected) {
    const times = rest.get(path) ?? 0;
    if (times !== 1) faults.push(`${path} came ${times} times`);
    rest.delete(path);
  }
  for (const path of rest.keys()) faults.push(`${path} belongs to another node`);
  return faults;
}
