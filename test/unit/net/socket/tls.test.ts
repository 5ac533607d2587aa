import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import type { SatelliteError } from '../../../../src/base/index.js';
import type { MethodRegistry } from '../../../../src/net/grpc/contract.js';
import { unaryMethod } from '../../../../src/net/grpc/index.js';
import type { ClientTlsSettings, SocketAddress } from '../../../../src/net/socket/index.js';
import { createTestDial, DIAL_DEFAULTS, exchange, startServer, type TestServer } from './rig.js';
import { createCertificates, type TestCertificates } from '../../../support/certificates.js';

const PATH = '/test.Tls/Echo';

function registerEcho(registry: MethodRegistry): void {
  registry.register(
    PATH,
    unaryMethod((request, context) => Buffer.from(`${String(context.peer.isTls)} ${String(request.length)}`)),
  );
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

function tlsError(message: RegExp): (error: SatelliteError) => boolean {
  return (error) => {
    assert.equal(error.code, 'SAT_NET_TLS');
    assert.match(error.message, message);
    return true;
  };
}

/** A server that says the same to everybody. */
async function answerWith(bytes: Buffer): Promise<{ address: SocketAddress; close: () => void }> {
  const server = createServer((socket) => socket.end(bytes));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { address: { kind: 'tcp', host: '127.0.0.1', port }, close: () => void server.close() };
}

/** Dials until the connection is closed; the reason of a GOAWAY before that. */
function dialOnce(
  address: SocketAddress,
  tls: ClientTlsSettings | null,
): Promise<{ reason: string; error: Error | null }> {
  return new Promise((resolve) => {
    let reason = '';
    createTestDial()(
      address,
      { ...DIAL_DEFAULTS, tls },
      {
        onReady: () => undefined,
        onFreeStream: () => undefined,
        onDraining: (_connection, text) => (reason = text),
        onClosed: (_connection, error) => {
          resolve({ reason, error });
        },
      },
    );
  });
}

describe('TLS', () => {
  let files: TestCertificates;
  let rig: TestServer;

  before(async () => {
    files = createCertificates();
    rig = await startServer(registerEcho, { tls: { cert: files.serverCert, key: files.serverKey } });
  });

  after(async () => {
    await rig.close();
    files.remove();
  });

  test('calls pass, large ones too, when the authority is known', async () => {
    const connection = await rig.connect({ tls: { ca: files.ca } });
    const outcome = await exchange(connection, PATH, [Buffer.alloc(900_000)]);
    assert.deepEqual(outcome.messages, ['true 900000']);
    connection.drain();
  });

  test('an unknown authority is refused with a reason, unless verification is off', async () => {
    await assert.rejects(rig.connect({ tls: {} }), (error: SatelliteError) => {
      assert.equal(error.code, 'SAT_NET_TLS');
      assert.match(error.message, /authority is not/);
      return true;
    });
    const connection = await rig.connect({ tls: { insecureSkipVerify: true } });
    assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
    connection.drain();
  });

  test('a certificate for another name is refused, with the names it is for', async () => {
    const wrong = rig.connect({ tls: { ca: files.ca, serverName: 'elsewhere.test' } });
    await assert.rejects(wrong, tlsError(/is for another name; it names DNS:localhost, IP Address:127\.0\.0\.1/));
  });

  test('an expired certificate is refused as such', async () => {
    const tls = { cert: files.expiredServerCert(), key: files.serverKey };
    const expired = await startServer(registerEcho, { tls });
    await assert.rejects(expired.connect({ tls: { ca: files.ca } }), tlsError(/the certificate has expired/));
    await expired.close();
  });

  test('plain text towards a TLS port is named by the server, and by the client if it got an alert', async () => {
    const before = rig.errors.length;
    await assert.rejects(rig.connect({ tls: null }));
    const alerting = await answerWith(Buffer.from('15030100020246', 'hex'));
    const { error } = await dialOnce(alerting.address, null);
    assert.match(error!.message, /the server speaks TLS, and TLS is not switched on here/);
    alerting.close();
    await until(() => rig.errors.length > before);
    assert.match(rig.errors[before]!.message, /the peer does not speak TLS/);
  });

  test('TLS towards a plain port is named on both sides', async () => {
    const plain = await startServer(registerEcho);
    await assert.rejects(plain.connect({ tls: { ca: files.ca } }), tlsError(/the peer does not speak TLS/));
    await until(() => plain.errors.length > 0);
    assert.match(plain.errors[0]!.message, /the client speaks TLS, and this port does not/);
    await plain.close();
  });

  test('a port of HTTP/1 is named as such', async () => {
    const web = await answerWith(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { error } = await dialOnce(web.address, null);
    assert.match(error!.message, /speaks HTTP\/1: this is not its gRPC port/);
    web.close();
  });

  describe('with client certificates', () => {
    const start = (isClientCertOptional: boolean): Promise<TestServer> => {
      const tls = { cert: files.serverCert, key: files.serverKey, ca: files.ca, isClientCertOptional };
      return startServer(registerEcho, { tls });
    };

    test('required: one of the authority is served, none is told so on both sides', async () => {
      const server = await start(false);
      const { reason } = await dialOnce(server.address, { ca: files.ca });
      assert.equal(reason, 'NO_ERROR: a client certificate is required, and none was shown');
      assert.match(server.errors[0]!.message, /a client certificate is required, and none was shown/);
      assert.equal(server.errors[0]!.code, 'SAT_NET_TLS');
      const own = { ca: files.ca, cert: files.clientCert, key: files.clientKey };
      const connection = await server.connect({ tls: own });
      assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
      await server.close();
    });

    for (const isOptional of [false, true]) {
      test(`${isOptional ? 'optional' : 'required'}: one of another authority is refused with the reason`, async () => {
        const server = await start(isOptional);
        const other = createCertificates();
        const tls = { ca: files.ca, cert: other.clientCert, key: other.clientKey };
        const { reason } = await dialOnce(server.address, tls);
        assert.match(reason, /the client certificate is refused: the certificate.s authority is not known/);
        assert.equal(server.server.callCount, 0);
        other.remove();
        await server.close();
      });
    }

    test('optional: a client without one is served', async () => {
      const server = await start(true);
      const connection = await server.connect({ tls: { ca: files.ca } });
      assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
      await server.close();
    });

    test('an authority replaced while running counts for new connections', async () => {
      const server = await start(false);
      const other = createCertificates();
      server.listener.reloadTls({ cert: files.serverCert, key: files.serverKey, ca: other.ca });
      const { reason } = await dialOnce(server.address, {
        ca: files.ca,
        cert: files.clientCert,
        key: files.clientKey,
      });
      assert.match(reason, /the client certificate is refused/);
      const tls = { ca: files.ca, cert: other.clientCert, key: other.clientKey };
      const connection = await server.connect({ tls });
      assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
      other.remove();
      await server.close();
    });
  });

  test('a connection over the limit is told so after its handshake; of a burst most are closed before', async () => {
    const tls = { cert: files.serverCert, key: files.serverKey };
    const full = await startServer(registerEcho, { tls, refuse: () => 'full' });
    assert.equal((await dialOnce(full.address, { ca: files.ca })).reason, 'NO_ERROR: full');
    const port = (full.address as { port: number }).port;
    const silent = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await until(() => silent.filter((socket) => socket.closed).length === 4);
    assert.equal((await dialOnce(full.address, { ca: files.ca })).reason, '');
    for (const socket of silent) socket.destroy();
    // When the server has seen them leave there is room again.
    let reason = '';
    while (reason === '') ({ reason } = await dialOnce(full.address, { ca: files.ca }));
    assert.equal(reason, 'NO_ERROR: full');
    assert.equal(full.listener.connectionCount, 0);
    await full.close();
  });

  test('an independent client gets through', async () => {
    const client = new grpc.Client(`localhost:${String(rig.listener.port)}`, grpc.credentials.createSsl(files.ca));
    const same = (value: Buffer): Buffer => value;
    const reply = await new Promise<Buffer | undefined>((resolve, reject) => {
      client.makeUnaryRequest(PATH, same, same, Buffer.alloc(3), (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
    assert.equal(reply?.toString(), 'true 3');
    client.close();
  });

  test('a certificate replaced while running serves new connections; open ones stay', async () => {
    const open = await rig.connect({ tls: { ca: files.ca } });
    const other = createCertificates();
    rig.listener.reloadTls({ cert: other.serverCert, key: other.serverKey });
    await assert.rejects(rig.connect({ tls: { ca: files.ca } }));
    const connection = await rig.connect({ tls: { ca: other.ca } });
    assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
    assert.equal((await exchange(open, PATH, [Buffer.alloc(1)])).status.code, 0);
    rig.listener.reloadTls({ cert: files.serverCert, key: files.serverKey });
    other.remove();
    open.drain();
    connection.drain();
  });

  test('HTTP/1 over TLS is told what this port is', async () => {
    const options = { port: rig.listener.port, host: '127.0.0.1', ca: files.ca, servername: 'localhost' };
    const socket = connectTls({ ...options, ALPNProtocols: ['http/1.1'] });
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /gRPC over HTTP\/2/);
  });
});
