/** Work for a real Envoy: a bounded number of HTTP requests and TCP connections. */
import { Agent, get } from 'node:http';
import { connect, createServer, type Server } from 'node:net';

/** Sends one request for each path over `connections` kept-alive connections; each must be answered with 200. */
export async function sendRequests(port: number, paths: readonly string[], connections: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) await request(port, path, agent);
  };
  try {
    await Promise.all(Array.from({ length: connections }, work));
  } finally {
    agent.destroy();
  }
}

/** Paths that no other request has. */
export function pathsFor(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/${name}/${index}`);
}

function request(port: number, path: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
  });
}

/** Opens `count` connections, `parallel` at a time, each until the other side closes it. */
export async function openConnections(port: number, count: number, parallel: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await openConnection(port);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

function openConnection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.resume();
  });
}

/** A TCP server that says one word and hangs up. Returns its port with the server, for closing. */
export async function startUpstream(): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end('bye');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening on no port');
  return { port: address.port, server };
}
