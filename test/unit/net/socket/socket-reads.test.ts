import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { SocketReads } from '../../../../src/net/socket/socket-reads.js';

interface Rig {
  readonly port: number;
  readonly accepted: SocketReads[];
  close(): Promise<void>;
}

async function startServer(): Promise<Rig> {
  const accepted: SocketReads[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(SocketReads.ofAccepted(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accepted,
    close: async () => {
      for (const { socket } of accepted) socket.destroy();
      // Resolves only if the server counts none of its connections any more.
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The next chunk: its memory, and a copy of its bytes. */
function nextChunk(reads: SocketReads): Promise<{ memory: ArrayBufferLike; text: string }> {
  return new Promise((resolve) => {
    reads.onRead = (chunk) => {
      resolve({ memory: chunk.buffer, text: Buffer.from(chunk).toString() });
    };
  });
}

async function openPair(rig: Rig): Promise<{ client: SocketReads; server: SocketReads }> {
  const client = SocketReads.dial({ port: rig.port, host: '127.0.0.1', allowHalfOpen: true });
  const index = rig.accepted.length;
  await once(client.socket, 'connect');
  while (rig.accepted.length === index) await new Promise(setImmediate);
  return { client, server: rig.accepted[index]! };
}

test('accepted and dialled sockets read into one buffer', async () => {
  const rig = await startServer();
  const [first, second] = [await openPair(rig), await openPair(rig)];
  const memories = new Set<ArrayBufferLike>();
  for (const [from, to] of [
    [first.client, first.server],
    [second.client, second.server],
    [first.server, first.client],
  ] as const) {
    const chunk = nextChunk(to);
    from.socket.write('hello');
    const { memory, text } = await chunk;
    assert.equal(text, 'hello');
    memories.add(memory);
  }
  assert.equal(memories.size, 1);
  first.client.socket.destroy();
  second.client.socket.destroy();
  await rig.close();
});

test('an accepted socket stays half open, ends and closes like any other', async () => {
  const rig = await startServer();
  const { client, server } = await openPair(rig);
  assert.equal(server.socket.remotePort, client.socket.localPort);
  const ended = once(server.socket, 'end');
  client.socket.end();
  await ended;
  const answer = nextChunk(client);
  const closed = once(server.socket, 'close');
  server.socket.end('bye');
  assert.equal((await answer).text, 'bye');
  await closed;
  await rig.close();
});

test('a reset is heard as an error', async () => {
  const rig = await startServer();
  const { client, server } = await openPair(rig);
  const failed = once(server.socket, 'error') as Promise<[NodeJS.ErrnoException]>;
  client.socket.resetAndDestroy();
  assert.equal((await failed)[0].code, 'ECONNRESET');
  await rig.close();
});

test('where node shows no handle, its own chunks are read', () => {
  const socket = new Socket();
  const reads = SocketReads.ofAccepted(socket);
  assert.equal(reads.socket, socket);
  const seen: string[] = [];
  reads.onRead = (chunk) => seen.push(Buffer.from(chunk).toString());
  socket.emit('data', Buffer.from('hello'));
  assert.deepEqual(seen, ['hello']);
});
