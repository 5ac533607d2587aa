import assert from 'node:assert/strict';
import { status } from '@grpc/grpc-js';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../support/eventually.js';
import { sumOf } from '../support/exposition.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { IndependentOap } from '../support/independent-oap.js';
import { encodeAccessLog } from '../support/independent-protocol.js';
import { RawClient } from '../support/raw-stream.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';

const PIPE = 'envoy-als-v3';
const LARGEST_BYTES = 256 * 1024;

const identifier = { node: { id: 'sound' }, log_name: 'http_envoy_accesslog' };
const SOUND = encodeAccessLog({ identifier, http_logs: { log_entry: [{ request: { path: '/sound' } }] } });
const LATER = encodeAccessLog({ http_logs: { log_entry: [{ request: { path: '/later' } }] } });
/** Field 2 says it has 100 bytes and has one. */
const MALFORMED = Buffer.from([0x12, 100, 0]);

describe('a running Satellite, badly treated', () => {
  let oap: IndependentOap;
  let satellite: Satellite;

  before(async () => {
    oap = await new IndependentOap().start();
    const config = writeAlsConfig({
      oaps: [oap.address],
      receiverOptions: { flush_time: 50 },
      serverOptions: { max_recv_msg_size: LARGEST_BYTES },
    });
    satellite = await Satellite.start({ config });
  });
  after(async () => {
    assert.deepEqual(await satellite.stop(), { code: 0, signal: null });
    oap.kill();
  });

  async function waitArrived(path: string, times: number): Promise<void> {
    await eventually({ until: `${path} has arrived`, withinMs: 10_000, everyMs: 20 }, () => {
      return oap.http.get('sound')?.get(path) === times ? true : undefined;
    });
  }

  async function droppedMessages(reason: string): Promise<number> {
    return sumOf(await satellite.scrape(), 'ledger_dropped_count', { pipe: PIPE, unit: 'messages', reason });
  }

  test('an HTTP/1 request on the gRPC port is told where it belongs', async () => {
    const answer = await fetch(`http://127.0.0.1:${satellite.grpcPort}/metrics`, {
      signal: AbortSignal.timeout(5_000),
    });
    assert.ok(answer.status >= 400);
    assert.match(await answer.text(), /gRPC/);
  });

  test('bytes that are no protocol end their connection and nothing else', async () => {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(satellite.grpcPort, '127.0.0.1', () => socket.write(Buffer.alloc(4096, 0xfe)));
      socket.once('error', () => {});
      socket.once('close', () => resolve());
      socket.setTimeout(10_000, () => reject(new Error('the connection stays open')));
      socket.resume();
    });
    const envoy = new IndependentEnvoy({ port: satellite.grpcPort, nodeId: 'after-garbage', version: 'v3' });
    await envoy.send(['/after-garbage']);
    assert.equal(await envoy.finish(), null);
  });

  test('a stream whose first message has no identifier is refused, and the message counted', async () => {
    const client = new RawClient(satellite.grpcPort);
    const stream = client.open();
    stream.send(LATER);
    const error = await stream.ended;
    client.close();
    assert.equal(error?.code, status.INVALID_ARGUMENT);
    assert.match(error.details, /identifier/);
    assert.equal(await droppedMessages('no_identity'), 1);
  });

  test('a malformed message is dropped alone; its stream and its batch go on', async () => {
    const client = new RawClient(satellite.grpcPort);
    const stream = client.open();
    stream.send(SOUND);
    stream.send(MALFORMED);
    stream.send(LATER);
    assert.equal(await stream.finish(), null);
    client.close();
    await waitArrived('/sound', 1);
    await waitArrived('/later', 1);
    assert.equal(await droppedMessages('malformed'), 1);
  });

  test('a message over the limit ends its call with RESOURCE_EXHAUSTED and leaves its neighbour alone', async () => {
    const client = new RawClient(satellite.grpcPort);
    const neighbour = client.open();
    neighbour.send(SOUND);
    const stream = client.open();
    stream.send(Buffer.concat([SOUND, Buffer.alloc(LARGEST_BYTES)]));
    const error = await stream.ended;
    assert.equal(error?.code, status.RESOURCE_EXHAUSTED);
    neighbour.send(LATER);
    assert.equal(await neighbour.finish(), null);
    client.close();
    await waitArrived('/later', 2);
  });

  test('an unknown method is answered UNIMPLEMENTED', async () => {
    const client = new RawClient(satellite.grpcPort);
    const stream = client.open('/envoy.service.accesslog.v3.AccessLogService/NoSuchMethod');
    const error = await stream.finish();
    client.close();
    assert.equal(error?.code, status.UNIMPLEMENTED);
  });
});
