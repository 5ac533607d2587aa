import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import type { SatelliteError } from '../../../../src/base/index.js';
import type { MethodRegistry } from '../../../../src/net/grpc/contract.js';
import { unaryMethod } from '../../../../src/net/grpc/index.js';
import { exchange, startServer, type TestServer } from './rig.js';
import { createCertificates, type TestCertificates } from '../../../support/certificates.js';

const PATH = '/test.Tls/Echo';

function registerEcho(registry: MethodRegistry): void {
  registry.register(
    PATH,
    unaryMethod((request, context) => Buffer.from(`${String(context.peer.isTls)} ${String(request.length)}`)),
  );
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

  test('a certificate for another name is refused', async () => {
    await assert.rejects(rig.connect({ tls: { ca: files.ca, serverName: 'elsewhere.test' } }), /for another name/);
  });

  test('plain text towards a TLS port ends with an error on both sides', async () => {
    await assert.rejects(rig.connect({ tls: null }));
    assert.ok(rig.errors.some((error) => error.code === 'SAT_NET_TLS'));
  });

  test('TLS towards a plain port says that the peer does not speak it', async () => {
    const plain = await startServer(registerEcho);
    await assert.rejects(plain.connect({ tls: { ca: files.ca } }), (error: SatelliteError) =>
      error.code.startsWith('SAT_NET'),
    );
    await plain.close();
  });

  test('a client certificate can be required', async () => {
    const tls = { cert: files.serverCert, key: files.serverKey, clientCa: files.ca };
    const strict = await startServer(registerEcho, { tls });
    await assert.rejects(strict.connect({ tls: { ca: files.ca } }));
    const own = { ca: files.ca, cert: files.clientCert, key: files.clientKey };
    const connection = await strict.connect({ tls: own });
    assert.equal((await exchange(connection, PATH, [Buffer.alloc(1)])).status.code, 0);
    await strict.close();
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
