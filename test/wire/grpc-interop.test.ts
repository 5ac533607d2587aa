/** Against an independent implementation (@grpc/grpc-js), both ways, over real sockets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as grpc from '@grpc/grpc-js';
import { takeBytes } from '../../src/net/grpc/index.js';
import type { ClientConnection, Message, ServerCall } from '../../src/net/grpc/contract.js';
import {
  createTestDial,
  DIAL_DEFAULTS,
  exchange,
  MAX_MESSAGE_BYTES,
  startServer,
  type TestServer,
} from '../unit/net/socket/rig.js';

const raw = { serialize: (value: Buffer): Buffer => value, deserialize: (value: Buffer): Buffer => value };

function method(path: string, requestStream: boolean, responseStream: boolean): grpc.MethodDefinition<Buffer, Buffer> {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: raw.serialize,
    requestDeserialize: raw.deserialize,
    responseSerialize: raw.serialize,
    responseDeserialize: raw.deserialize,
  };
}

const SERVICE = {
  unary: method('/interop.Test/Unary', false, false),
  clientStream: method('/interop.Test/ClientStream', true, false),
  serverStream: method('/interop.Test/ServerStream', false, true),
  bidi: method('/interop.Test/Bidi', true, true),
  fail: method('/interop.Test/Fail', false, false),
  slow: method('/interop.Test/Slow', false, false),
  metadata: method('/interop.Test/Metadata', false, false),
};

describe('our server, their client', () => {
  let rig: TestServer;
  let client: grpc.Client;
  const ends: string[] = [];

  before(async () => {
    const echoLast = (call: ServerCall): void => {
      const parts = call.state as Buffer[];
      const reply = Buffer.from(`${String(parts.length)}:${String(Buffer.concat(parts).length)}`);
      call.sendMessage([reply], reply.length);
      call.finish(0, '', ['trailing', 'yes', 'trailing-bin', 'AP8']);
    };
    const collect = {
      onCall: (call: ServerCall): void => {
        call.state = [];
      },
      onMessage: (call: ServerCall, message: Message): void => {
        (call.state as Buffer[]).push(Buffer.from(takeBytes(message)));
      },
      onHalfClose: echoLast,
      onEnd: (_call: ServerCall, isCancelled: boolean, reason: string): void => {
        ends.push(isCancelled ? reason : 'finished');
      },
    };
    rig = await startServer((registry) => {
      registry.register(SERVICE.unary.path, collect);
      registry.register(SERVICE.clientStream.path, collect);
      registry.register(SERVICE.serverStream.path, {
        ...collect,
        onHalfClose: (call) => {
          for (let index = 0; index < 3; index++) call.sendMessage([Buffer.alloc(70_000, index)], 70_000);
          call.finish(0);
        },
      });
      registry.register(SERVICE.bidi.path, {
        ...collect,
        onMessage: (call, message) => {
          call.sendMessage(message.parts, message.length);
        },
        onHalfClose: (call) => {
          call.finish(0);
        },
      });
      registry.register(SERVICE.fail.path, {
        ...collect,
        onHalfClose: (call) => {
          call.finish(9, 'größer\nals 100%');
        },
      });
      registry.register(SERVICE.slow.path, { ...collect, onHalfClose: () => undefined });
      registry.register(SERVICE.metadata.path, {
        ...collect,
        onHalfClose: (call) => {
          const reply = Buffer.from(JSON.stringify(call.metadata));
          call.sendMessage([reply], reply.length);
          call.finish(0);
        },
      });
    });
    client = new grpc.Client(`127.0.0.1:${String(rig.listener.port)}`, grpc.credentials.createInsecure());
  });

  after(async () => {
    client.close();
    await rig.close();
    assert.deepEqual(rig.bugs, []);
  });

  function unary(
    definition: grpc.MethodDefinition<Buffer, Buffer>,
    request: Buffer,
    metadata = new grpc.Metadata(),
    options: grpc.CallOptions = {},
  ): Promise<{ error: grpc.ServiceError | null; reply: Buffer | undefined; status: grpc.StatusObject | null }> {
    return new Promise((resolve) => {
      let status: grpc.StatusObject | null = null;
      let result: { error: grpc.ServiceError | null; reply: Buffer | undefined } | null = null;
      const settle = (): void => {
        if (result !== null && status !== null) resolve({ ...result, status });
      };
      const call = client.makeUnaryRequest(
        definition.path,
        definition.requestSerialize,
        definition.responseDeserialize,
        request,
        metadata,
        options,
        (error, reply) => {
          result = { error, reply };
          settle();
        },
      );
      call.on('status', (received) => {
        status = received;
        settle();
      });
    });
  }

  test('unary, with trailers', async () => {
    const { reply, status } = await unary(SERVICE.unary, Buffer.from('hello'));
    assert.equal(reply?.toString(), '1:5');
    assert.ok(status !== null);
    assert.deepEqual(status.metadata.get('trailing'), ['yes']);
    assert.deepEqual(status.metadata.get('trailing-bin'), [Buffer.from([0, 255])]);
  });

  test('client streaming, messages larger than a window among them', async () => {
    const reply = await new Promise<Buffer | undefined>((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = SERVICE.clientStream;
      const call = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
      for (const size of [0, 1, 70_000, 1_000_000, 5]) call.write(Buffer.alloc(size, 1));
      call.end();
    });
    assert.equal(reply?.toString(), '5:1070006');
  });

  test('server streaming', async () => {
    const { path, requestSerialize, responseDeserialize } = SERVICE.serverStream;
    const sizes: number[] = [];
    const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, Buffer.from('go'));
    for await (const message of call) sizes.push((message as Buffer).length);
    assert.deepEqual(sizes, [70_000, 70_000, 70_000]);
  });

  test('bidirectional streaming', async () => {
    const { path, requestSerialize, responseDeserialize } = SERVICE.bidi;
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const received: string[] = [];
    await new Promise<void>((resolve, reject) => {
      call.on('data', (message: Buffer) => {
        received.push(message.toString());
        if (received.length === 3) call.end();
        else call.write(Buffer.from(`m${String(received.length)}`));
      });
      call.on('end', resolve);
      call.on('error', reject);
      call.write(Buffer.from('m0'));
    });
    assert.deepEqual(received, ['m0', 'm1', 'm2']);
  });

  test('an error status with its text, as trailers only', async () => {
    const { error } = await unary(SERVICE.fail, Buffer.from('x'));
    assert.equal(error?.code, 9);
    assert.equal(error.details, 'größer\nals 100%');
  });

  test('an unknown method is UNIMPLEMENTED', async () => {
    const { error } = await unary(method('/interop.Test/Nowhere', false, false), Buffer.from('x'));
    assert.equal(error?.code, grpc.status.UNIMPLEMENTED);
  });

  test('gzip from them', async () => {
    const options = { 'grpc.default_compression_algorithm': 2 };
    const gzip = new grpc.Client(`127.0.0.1:${String(rig.listener.port)}`, grpc.credentials.createInsecure(), options);
    const reply = await new Promise<Buffer | undefined>((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = SERVICE.clientStream;
      const call = gzip.makeClientStreamRequest(path, requestSerialize, responseDeserialize, (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
      call.write(Buffer.alloc(500_000, 7));
      call.write(Buffer.from('plain'));
      call.end();
    });
    assert.equal(reply?.toString(), '2:500005');
    gzip.close();
  });

  test('an oversized message is RESOURCE_EXHAUSTED with both sizes; the connection goes on', async () => {
    const { error } = await unary(SERVICE.unary, Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    assert.equal(error?.code, grpc.status.RESOURCE_EXHAUSTED);
    assert.match(error.details, /1048577 bytes .* 1048576 bytes/);
    const { reply } = await unary(SERVICE.unary, Buffer.from('still here'));
    assert.equal(reply?.toString(), '1:10');
    assert.equal(rig.listener.connectionCount, 1);
  });

  test('their deadline ends the call on both sides', async () => {
    ends.length = 0;
    const { error } = await unary(SERVICE.slow, Buffer.from('x'), new grpc.Metadata(), { deadline: Date.now() + 50 });
    assert.equal(error?.code, grpc.status.DEADLINE_EXCEEDED);
    while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.notEqual(ends[0], 'finished');
  });

  test('their cancellation reaches the handler', async () => {
    ends.length = 0;
    // Their client half-closes before it resets, so the handler must be one that does not answer that.
    const { path, requestSerialize, responseDeserialize } = SERVICE.slow;
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    call.on('error', () => undefined);
    call.write(Buffer.from('x'));
    while (rig.server.callCount === 0) await new Promise((resolve) => setImmediate(resolve));
    call.cancel();
    while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.match(ends[0]!, /reset by the peer/);
  });

  test('their metadata arrives, binary too', async () => {
    const metadata = new grpc.Metadata();
    metadata.set('agent-version', '9.4.0');
    metadata.set('blob-bin', Buffer.from([0, 255, 7]));
    const { reply } = await unary(SERVICE.metadata, Buffer.from('x'), metadata);
    const fields = JSON.parse(reply!.toString()) as string[];
    assert.equal(fields[fields.indexOf('agent-version') + 1], '9.4.0');
    assert.equal(Buffer.from(fields[fields.indexOf('blob-bin') + 1]!, 'base64').toString('hex'), '00ff07');
  });
});

describe('our client, their server', () => {
  let server: grpc.Server;
  let connection: ClientConnection;
  const cancelled: string[] = [];

  before(async () => {
    server = new grpc.Server({ 'grpc.max_receive_message_length': 4 * MAX_MESSAGE_BYTES });
    server.addService(SERVICE, {
      unary: (call: grpc.ServerUnaryCall<Buffer, Buffer>, reply: grpc.sendUnaryData<Buffer>) => {
        const trailer = new grpc.Metadata();
        trailer.set('trailing-bin', Buffer.from([0, 255]));
        reply(null, Buffer.from(`re: ${call.request.toString()}`), trailer);
      },
      clientStream: (call: grpc.ServerReadableStream<Buffer, Buffer>, reply: grpc.sendUnaryData<Buffer>) => {
        let count = 0;
        let bytes = 0;
        call.on('data', (message: Buffer) => {
          count++;
          bytes += message.length;
        });
        call.on('end', () => {
          reply(null, Buffer.from(`${String(count)}:${String(bytes)}`));
        });
        call.on('cancelled', () => cancelled.push('clientStream'));
      },
      serverStream: (call: grpc.ServerWritableStream<Buffer, Buffer>) => {
        for (let index = 0; index < 3; index++) call.write(Buffer.alloc(70_000, index));
        call.end();
      },
      bidi: (call: grpc.ServerDuplexStream<Buffer, Buffer>) => {
        call.on('data', (message: Buffer) => call.write(message));
        call.on('end', () => {
          call.end();
        });
      },
      fail: (_call: grpc.ServerUnaryCall<Buffer, Buffer>, reply: grpc.sendUnaryData<Buffer>) => {
        reply({ code: grpc.status.FAILED_PRECONDITION, details: 'größer\nals 100%' });
      },
      slow: (call: grpc.ServerUnaryCall<Buffer, Buffer>) => {
        call.on('cancelled', () => cancelled.push('slow'));
      },
      metadata: (call: grpc.ServerUnaryCall<Buffer, Buffer>, reply: grpc.sendUnaryData<Buffer>) => {
        const blob = call.metadata.get('blob-bin')[0] as Buffer;
        reply(null, Buffer.from(`${String(call.metadata.get('token')[0])} ${blob.toString('hex')} ${call.getHost()}`));
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    connection = await new Promise((resolve, reject) => {
      createTestDial()({ kind: 'tcp', host: '127.0.0.1', port }, DIAL_DEFAULTS, {
        onReady: resolve,
        onFreeStream: () => undefined,
        onDraining: () => undefined,
        onClosed: (_connection, error) => {
          reject(error ?? new Error('closed'));
        },
      });
    });
  });

  after(() => {
    connection.destroy('done');
    server.forceShutdown();
  });

  test('unary, with trailers', async () => {
    const { messages, status } = await exchange(connection, SERVICE.unary.path, [Buffer.from('hello')]);
    assert.deepEqual(messages, ['re: hello']);
    assert.equal(status.code, 0);
    assert.equal(status.trailers[status.trailers.indexOf('trailing-bin') + 1]?.replace(/=+$/, ''), 'AP8');
  });

  test('client streaming, messages larger than a window among them', async () => {
    const messages = [0, 1, 70_000, 1_000_000, 5].map((size) => Buffer.alloc(size, 1));
    const outcome = await exchange(connection, SERVICE.clientStream.path, messages);
    assert.deepEqual(outcome.messages, ['5:1070006']);
  });

  test('server streaming', async () => {
    const outcome = await exchange(connection, SERVICE.serverStream.path, [Buffer.from('go')]);
    assert.deepEqual(
      outcome.messages.map((message) => message.length),
      [70_000, 70_000, 70_000],
    );
    assert.equal(outcome.status.code, 0);
  });

  test('bidirectional streaming', async () => {
    const outcome = await exchange(connection, SERVICE.bidi.path, [Buffer.from('a'), Buffer.from('b')]);
    assert.deepEqual(outcome.messages, ['a', 'b']);
  });

  test('an error status with its text', async () => {
    const { status } = await exchange(connection, SERVICE.fail.path, [Buffer.from('x')]);
    assert.equal(status.code, 9);
    assert.equal(status.message, 'größer\nals 100%');
    assert.equal(status.isLocal, false);
  });

  test('an unknown method is UNIMPLEMENTED', async () => {
    const { status } = await exchange(connection, '/interop.Test/Nowhere', [Buffer.from('x')]);
    assert.equal(status.code, grpc.status.UNIMPLEMENTED);
  });

  test('gzip from us', async () => {
    const messages = [Buffer.alloc(500_000, 7), Buffer.from('x')];
    const outcome = await exchange(connection, SERVICE.clientStream.path, messages, { compression: 'gzip' });
    assert.deepEqual(outcome.messages, ['2:500001']);
  });

  test('our deadline ends the call on both sides', async () => {
    const deadlineMs = DIAL_DEFAULTS.clock.now() + 50;
    const { status } = await exchange(connection, SERVICE.slow.path, [Buffer.from('x')], { deadlineMs });
    assert.equal(status.code, grpc.status.DEADLINE_EXCEEDED);
    while (!cancelled.includes('slow')) await new Promise((resolve) => setImmediate(resolve));
  });

  test('our cancellation reaches their handler', async () => {
    cancelled.length = 0;
    const path = SERVICE.clientStream.path;
    const status = await new Promise<number>((resolve) => {
      const handler = {
        onMessage: (): void => undefined,
        onStatus: (_call: unknown, received: { code: number }): void => {
          resolve(received.code);
        },
      };
      const call = connection.openCall(path, handler, {})!;
      call.sendMessage([Buffer.from('x')], 1);
      setImmediate(() => {
        setImmediate(() => {
          call.cancel('enough');
        });
      });
    });
    assert.equal(status, grpc.status.CANCELLED);
    while (cancelled.length === 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('our metadata arrives, binary too', async () => {
    const metadata = ['token', 'secret', 'blob-bin', 'AP8H'];
    const outcome = await exchange(connection, SERVICE.metadata.path, [Buffer.from('x')], { metadata });
    assert.deepEqual(outcome.messages, ['secret 00ff07 satellite.test']);
  });
});
