import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SatelliteError } from '../../../../src/base/index.js';
import { formatAddress, formatPeer, parseAddress, peerOf } from '../../../../src/net/socket/address.js';
import {
  ClientFirstBytes,
  FIRST_BYTES,
  ServerFirstBytes,
  type FirstBytes,
} from '../../../../src/net/socket/first-bytes.js';
import { connectionError, listenError } from '../../../../src/net/socket/node-error.js';
import { TurnFlusher } from '../../../../src/net/socket/turn-flusher.js';

test('addresses are read as users write them', () => {
  assert.deepEqual(parseAddress(':11800'), { kind: 'tcp', host: '', port: 11800 });
  assert.deepEqual(parseAddress(':11800', 'tcp4'), { kind: 'tcp', host: '0.0.0.0', port: 11800 });
  assert.deepEqual(parseAddress(':11800', 'tcp6'), { kind: 'tcp', host: '::', port: 11800 });
  assert.deepEqual(parseAddress(' oap.ns.svc:1 '), { kind: 'tcp', host: 'oap.ns.svc', port: 1 });
  assert.deepEqual(parseAddress('[::1]:80'), { kind: 'tcp', host: '::1', port: 80 });
  assert.deepEqual(parseAddress('/run/sat.sock', 'unix'), { kind: 'unix', path: '/run/sat.sock' });
  for (const wrong of ['', '11800', 'host', 'host:', 'host:70000', '::1:80', 'a:b:1'])
    assert.equal(parseAddress(wrong), null, wrong);
  assert.equal(parseAddress('', 'unix'), null);
  assert.notEqual(parseAddress('/'.padEnd(107, 'x'), 'unix'), null);
  // Node would cut it and listen elsewhere.
  assert.equal(parseAddress('/'.padEnd(107, 'é'), 'unix'), null);
});

test('addresses and peers are written for people', () => {
  assert.equal(formatAddress({ kind: 'tcp', host: '::1', port: 80 }), '[::1]:80');
  assert.equal(formatAddress({ kind: 'unix', path: '/x' }), '/x');
  assert.deepEqual(peerOf('::ffff:10.0.0.9', 5, '', false), { host: '10.0.0.9', port: 5, isTls: false });
  assert.equal(peerOf('fe80::1%eth0', 5, '', true).host, 'fe80::1');
  assert.equal(formatPeer(peerOf(undefined, undefined, '/run/sat.sock', false)), '/run/sat.sock');
  assert.equal(formatPeer(peerOf('10.0.0.9', 5, '', false)), '10.0.0.9:5');
});

test('the first bytes of a client tell HTTP/2 from HTTP/1 and TLS at every split', () => {
  expectAtEverySplit(
    () => new ClientFirstBytes(''),
    [
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', FIRST_BYTES.http2],
      ['POST /v3/segments HTTP/1.1\r\n', FIRST_BYTES.http1],
      ['PUT / HTTP/1.1\r\n', FIRST_BYTES.http1],
      ['DELETE / HTTP/1.1\r\n', FIRST_BYTES.http1],
      ['INVALID PREFACE', FIRST_BYTES.http2],
      ['GET / HTTP/1.0\r\n', FIRST_BYTES.http1],
      ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc', FIRST_BYTES.tls],
      ['\x16nothing known', FIRST_BYTES.http2],
      ['nonsense', FIRST_BYTES.http2],
      ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', FIRST_BYTES.http2],
    ],
  );
});

test('the first bytes of a server tell HTTP/2 from HTTP/1 and TLS at every split', () => {
  expectAtEverySplit(
    () => new ServerFirstBytes(),
    [
      ['\x00\x00\x06\x04\x00\x00\x00\x00\x00', FIRST_BYTES.http2],
      ['HTTP/1.1 400 Bad Request\r\n', FIRST_BYTES.http1],
      ['HTTP/1.0 200 OK\r\n', FIRST_BYTES.http1],
      ['\x15\x03\x01\x00\x02\x02\x46', FIRST_BYTES.tls],
      ['SSH-2.0-OpenSSH', FIRST_BYTES.http2],
    ],
  );
});

function expectAtEverySplit(create: () => FirstBytes, cases: readonly (readonly [string, number])[]): void {
  for (const [text, expected] of cases) {
    for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) {
      const first = create();
      let result: number = FIRST_BYTES.unclear;
      let fed = 0;
      while (result === FIRST_BYTES.unclear && fed < text.length) {
        result = first.add(Buffer.from(text.slice(fed, fed + pieceBytes), 'latin1'));
        fed = Math.min(fed + pieceBytes, text.length);
      }
      assert.equal(result, expected, `${text} in ${String(pieceBytes)}`);
      assert.equal(Buffer.from(first.bytes).toString('latin1'), text.slice(0, fed));
    }
  }
}

test('errors of node have a code and a reason of ours', () => {
  const refused = connectionError(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), 'oap:1');
  assert.equal(refused.code, 'SAT_NET_UNREACHABLE');
  assert.equal(refused.message, 'oap:1: connection refused (ECONNREFUSED)');
  const tls = connectionError(Object.assign(new Error('bad record'), { code: 'ERR_SSL_BAD_RECORD' }), 'oap:1');
  assert.equal(tls.code, 'SAT_NET_TLS');
  const other = connectionError(new Error('odd'), 'oap:1');
  assert.equal(other.code, 'SAT_NET_LOST');
  assert.equal(connectionError(other, 'elsewhere'), other);
  const listening = listenError(Object.assign(new Error('x'), { code: 'EADDRINUSE' }), ':11800');
  assert.ok(listening instanceof SatelliteError);
  assert.equal(listening.message, 'cannot listen on :11800: the address is already in use (EADDRINUSE)');
});

test('targets of one turn are flushed once, at its end; what they schedule meanwhile belongs to the next', async () => {
  const flusher = new TurnFlusher();
  const order: string[] = [];
  const second = { flush: () => order.push('second') };
  const first = {
    flush: () => {
      order.push('first');
      if (order.length === 1) flusher.schedule(first);
    },
  };
  flusher.schedule(first);
  flusher.schedule(second);
  assert.deepEqual(order, []);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, ['first', 'second']);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(order, ['first', 'second', 'first']);
});
