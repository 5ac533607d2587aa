import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeAls, encodeAls, encodeIdentifier, fieldNumbers } from '../support/als.js';
import { ALS_PATH, PipeRig, readLikeOap } from '../support/pipe-rig.js';

const FLUSH_MS = 1000;
const LINGER_MS = 20;
const A = encodeIdentifier({ nodeId: 'envoy-a' });
const B = encodeIdentifier({ nodeId: 'envoy-b' });

describe('the access-log path from stream to backend', () => {
  it('delivers a stream under its identifier, within window and linger, to the Satellite service', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH);
    stream.send(encodeAls(['1', '2'], { identifier: A })).send(encodeAls(['3']));
    assert.equal(rig.pipe.state.openWindows, 1);
    rig.run(FLUSH_MS + LINGER_MS + 10);
    const [call] = rig.channel.calls;
    assert.equal(call!.path, '/satellite.envoy.accesslog.v3.SatelliteAccessLogService/StreamAccessLogs');
    assert.deepEqual(
      readLikeOap(call!),
      ['1', '2', '3'].map((entry) => ({ nodeId: 'envoy-a', entry })),
    );
    assert.equal(call!.messages.length, 2);
    assert.equal(decodeAls(call!.messages[1]!).nodeId, undefined);
    assert.deepEqual(rig.pipe.ledger.snapshot().delivered, {
      events: 1,
      messages: 2,
      entries: 3,
      bytes: encodeAls(['1', '2']).length + encodeAls(['3']).length,
    });
    stream.cancel();
    rig.assertEmpty();
  });

  it('sends the events of several Envoys in one call, each behind its own identifier', async () => {
    const rig = await PipeRig.start({ receiverOptions: { limit_count: 1 } });
    const a = rig.registry.open(ALS_PATH);
    const b = rig.registry.open(ALS_PATH);
    a.send(encodeAls(['a1'], { identifier: A }));
    b.send(encodeAls(['b1'], { identifier: B }));
    a.send(encodeAls(['a2']));
    a.send(encodeAls(['a3']));
    b.send(encodeAls(['b2']));
    rig.run(LINGER_MS + 10);
    assert.equal(rig.channel.calls.length, 1);
    const read = readLikeOap(rig.channel.calls[0]!);
    assert.deepEqual(
      read.map(({ nodeId, entry }) => `${nodeId}:${entry}`),
      ['envoy-a:a1', 'envoy-b:b1', 'envoy-a:a2', 'envoy-a:a3', 'envoy-b:b2'],
    );
    // a3 follows a2: the backend's current node is right already.
    assert.deepEqual(
      rig.channel.calls[0]!.messages.map((message) => fieldNumbers(message).includes(1)),
      [true, true, true, false, true],
    );
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 5);
  });

  it('closes the window and changes the identity when a later message brings another identifier', async () => {
    const rig = await PipeRig.start();
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: A }))
      .send(encodeAls(['2'], { identifier: A }))
      .send(encodeAls(['3'], { identifier: B }))
      .send(encodeAls(['4']))
      .halfClose();
    rig.run(LINGER_MS + 10);
    assert.deepEqual(
      readLikeOap(rig.channel.calls[0]!).map(({ nodeId, entry }) => `${nodeId}:${entry}`),
      ['envoy-a:1', 'envoy-a:2', 'envoy-b:3', 'envoy-b:4'],
    );
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 2);
    rig.assertEmpty();
  });

  it('answers a half-close with one empty message and OK after the window went to the queue', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: A }))
      .halfClose();
    assert.deepEqual(stream.replies, [Buffer.alloc(0)]);
    assert.equal(stream.status?.code, 0);
    assert.equal(rig.pipe.state.openWindows, 0);
    assert.equal(rig.pipe.state.pendingEvents, 1);
    assert.equal(rig.metrics.read('als_streaming_receive_failed_count', { version: 'v3', peer_host: 'all' }), 0);
  });

  it('keeps what a stream brought before it was cut', async () => {
    const rig = await PipeRig.start();
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: A }))
      .cancel();
    rig.run(LINGER_MS + 10);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 1);
    assert.equal(rig.metrics.read('als_streaming_receive_failed_count', { version: 'v3', peer_host: 'all' }), 1);
    rig.assertEmpty();
  });

  it('fails a call whose first message has no identifier, and counts the message', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH).send(encodeAls(['1', '2']));
    assert.equal(stream.status?.code, 3);
    assert.match(stream.status.message, /identifier/);
    const { received, dropped } = rig.pipe.ledger.snapshot();
    assert.equal(received.messages, 1);
    assert.deepEqual(dropped.no_identity, { events: 0, messages: 1, entries: 2, bytes: encodeAls(['1', '2']).length });
    rig.assertEmpty();
  });

  it('takes an empty identifier for one', async () => {
    const rig = await PipeRig.start();
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1'], { identifier: new Uint8Array() }))
      .halfClose();
    rig.run(LINGER_MS + 10);
    assert.deepEqual(readLikeOap(rig.channel.calls[0]!), [{ nodeId: '', entry: '1' }]);
  });

  it('drops a malformed message alone', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH).send(encodeAls(['1'], { identifier: A }));
    stream.send(Uint8Array.of(0x12, 0x7f, 1));
    stream.send(encodeAls(['2'])).halfClose();
    rig.run(LINGER_MS + 10);
    assert.deepEqual(
      readLikeOap(rig.channel.calls[0]!).map(({ entry }) => entry),
      ['1', '2'],
    );
    assert.deepEqual(rig.pipe.ledger.snapshot().dropped, {
      malformed: { events: 0, messages: 1, entries: 0, bytes: 3 },
    });
    assert.equal(rig.log.lines.filter((line) => line.level === 'debug').length, 1);
    rig.assertEmpty();
  });

  it('sends v2 streams to the same service', async () => {
    const rig = await PipeRig.start({
      receiver: 'grpc-envoy-als-v2-receiver',
      forwarder: 'envoy-als-v2-grpc-forwarder',
    });
    rig.registry
      .open('/envoy.service.accesslog.v2.AccessLogService/StreamAccessLogs')
      .send(encodeAls(['1'], { identifier: A, isTcp: true }))
      .halfClose();
    rig.run(LINGER_MS + 10);
    assert.deepEqual(readLikeOap(rig.channel.calls[0]!), [{ nodeId: 'envoy-a', entry: '1' }]);
    assert.equal(rig.metrics.read('sender_output_count', { pipe: 'p', status: 'success', type: 'EnvoyALSV2Type' }), 1);
  });

  it('keeps the series of its metrics few, however many peers there are, unless asked for each', async () => {
    const rig = await PipeRig.start();
    for (let peer = 0; peer < 50; peer++) rig.registry.open(ALS_PATH, { host: `10.2.0.${peer}` });
    assert.equal(rig.metrics.seriesOf('als_streaming_active_count'), 1);
    assert.equal(rig.metrics.read('als_streaming_active_count', { version: 'v3', peer_host: 'all' }), 50);

    const each = await PipeRig.start({ receiverOptions: { peer_metrics: true } });
    const streams = ['10.2.0.1', '10.2.0.1', '10.2.0.2'].map((host) => each.registry.open(ALS_PATH, { host }));
    streams[0]!.send(encodeAls(['1'], { identifier: A }));
    assert.equal(each.metrics.read('als_streaming_active_count', { version: 'v3', peer_host: '10.2.0.1' }), 2);
    assert.equal(each.metrics.read('als_streaming_receive_count', { version: 'v3', peer_host: '10.2.0.1' }), 1);
    for (const stream of streams) stream.cancel();
    assert.equal(each.metrics.seriesOf('als_streaming_active_count'), 0);
  });

  it('counts what the dashboards of the original count', async () => {
    const rig = await PipeRig.start();
    rig.registry
      .open(ALS_PATH)
      .send(encodeAls(['1', '2'], { identifier: A }))
      .send(encodeAls(['3']))
      .halfClose();
    assert.equal(rig.metrics.read('pipeline_queue_partition_size', { pipeline: 'p', partition: '0' }), 1);
    assert.equal(rig.metrics.read('pipeline_queue_total_capacity', { pipeline: 'p' }), 5000);
    rig.run(LINGER_MS + 10);
    const peers = { version: 'v3', peer_host: 'all' };
    const read = (name: string, labels = {}): number | undefined => rig.metrics.read(name, labels);
    assert.equal(read('als_streaming_receive_count', peers), 2);
    assert.equal(read('als_streaming_to_event_count', peers), 1);
    assert.equal(read('gatherer_receive_count', { pipe: 'p', status: 'all' }), 1);
    assert.equal(read('gatherer_receive_count', { pipe: 'p', status: 'abandoned' }), 0);
    assert.equal(read('queue_output_count', { pipe: 'p', status: 'success' }), 1);
    assert.equal(read('sender_output_count', { pipe: 'p', status: 'success', type: 'EnvoyALSV3Type' }), 1);
    assert.equal(read('als_event_ready_send'), 1);
    assert.equal(read('als_streaming_ready_send'), 2);
    assert.equal(read('als_event_send_finished', { target: '10.1.0.1' }), 1);
    assert.equal(read('als_streaming_send_finished', { target: '10.1.0.1' }), 2);
    assert.equal(read('als_forward_close_time_count'), 1);
    assert.equal(rig.metrics.observations('pipe_delivery_latency_seconds', { pipe: 'p' }).length, 1);
  });
});

describe('a drained stream', () => {
  it('is answered at once, and what was on its way is booked and delivered under its identity', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH);
    stream.send(encodeAls(['1'], { identifier: A })).drain();
    assert.equal(stream.status?.code, 0);
    assert.equal(stream.isEnded, false);
    stream.send(encodeAls(['2'])).send(encodeAls(['3', '4']));
    assert.equal(rig.pipe.ledger.snapshot().received.entries, 4);
    stream.stop();
    assert.equal(rig.pipe.state.openWindows, 0);
    rig.run(LINGER_MS + 10);
    assert.deepEqual(
      rig.channel.calls.flatMap(readLikeOap),
      ['1', '2', '3', '4'].map((entry) => ({ nodeId: 'envoy-a', entry })),
    );
    rig.assertEmpty();
  });

  it('that is slow to stop keeps no message longer than any other', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH);
    stream.send(encodeAls(['1'], { identifier: A })).drain();
    stream.send(encodeAls(['2']));
    rig.run(FLUSH_MS + LINGER_MS + 10);
    assert.equal(rig.pipe.ledger.snapshot().delivered.entries, 2);
    stream.stop();
    rig.assertEmpty();
  });

  it('may bring what is dropped: counted, its answer is not taken back', async () => {
    const rig = await PipeRig.start();
    const stream = rig.registry.open(ALS_PATH);
    stream.send(encodeAls(['1'], { identifier: A })).drain();
    stream.send(Buffer.from([0xff, 0xff])).send(encodeAls(['2']));
    stream.stop();
    rig.run(LINGER_MS + 10);
    const { delivered, dropped } = rig.pipe.ledger.snapshot();
    assert.equal(delivered.entries, 2);
    assert.equal(dropped.malformed?.messages, 1);
    assert.equal(stream.status?.code, 0);
    assert.equal(stream.replies.length, 1);
    rig.assertEmpty();
  });
});
