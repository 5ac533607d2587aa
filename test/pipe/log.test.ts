import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusOf } from '../support/channel.js';
import { encodeLog, readLogsLikeOap } from '../support/log-data.js';
import { PipeRig } from '../support/pipe-rig.js';
import type { RigOptions } from '../support/pipe-rig.js';

const COLLECT = '/skywalking.v3.LogReportService/collect';

async function start(options: RigOptions = {}): Promise<PipeRig> {
  return PipeRig.start({ receiver: 'grpc-native-log-receiver', forwarder: 'native-log-grpc-forwarder', ...options });
}

function delivered(rig: PipeRig): string[] {
  return rig.channel.calls.flatMap((call) => readLogsLikeOap(call.messages));
}

describe('the log path', () => {
  it('delivers a stream that stays open as it goes, each part under its service', async () => {
    const rig = await start();
    const stream = rig.registry.open(COLLECT);
    stream.send(encodeLog({ service: 'shop', text: '1' })).send(encodeLog({ text: '2' }));
    rig.run(1100);
    stream.send(encodeLog({ text: '3' })).send(encodeLog({ text: '4' }));
    rig.run(1100);
    assert.equal(rig.channel.calls.length, 2);
    assert.deepEqual(delivered(rig), ['shop:1', 'shop:2', 'shop:3', 'shop:4']);
    assert.equal(stream.isEnded, false);
  });

  it('keeps the streams of several agents apart in one call', async () => {
    const rig = await start({ receiverOptions: { limit_count: 1 } });
    const shop = rig.registry.open(COLLECT).send(encodeLog({ service: 'shop', text: '1' }));
    const mart = rig.registry.open(COLLECT).send(encodeLog({ service: 'mart', text: '1' }));
    shop.send(encodeLog({ text: '2' }));
    mart.send(encodeLog({ text: '2' }));
    shop.send(encodeLog({ service: 'shop-b', text: '3' })).send(encodeLog({ text: '4' }));
    rig.run(100);
    assert.equal(rig.channel.calls.length, 1);
    assert.deepEqual(delivered(rig), ['shop:1', 'mart:1', 'shop:2', 'mart:2', 'shop-b:3', 'shop-b:4']);
    assert.equal(rig.channel.calls[0]!.path, COLLECT);
  });

  it('answers empty commands and OK at half-close', async () => {
    const rig = await start();
    const stream = rig.registry
      .open(COLLECT)
      .send(encodeLog({ service: 'shop', text: '1' }))
      .halfClose();
    assert.deepEqual(stream.replies, [Buffer.alloc(0)]);
    assert.equal(stream.status?.code, 0);
    rig.run(100);
    assert.deepEqual(delivered(rig), ['shop:1']);
    rig.assertEmpty();
  });

  it('drops a log that nobody named a service for, alone, and keeps the call', async () => {
    const rig = await start();
    const stream = rig.registry.open(COLLECT).send(encodeLog({ text: '0' }));
    stream.send(encodeLog({ service: 'shop', text: '1' })).halfClose();
    rig.run(100);
    assert.deepEqual(delivered(rig), ['shop:1']);
    assert.equal(rig.pipe.ledger.snapshot().dropped.no_identity?.messages, 1);
  });

  it('keeps every service right when a batch is bisected inside an event', async () => {
    const rig = await start();
    rig.channel.all[0]!.decide = (call) =>
      statusOf(readLogsLikeOap(call.messages).some((log) => log.endsWith(':bad')) ? 3 : 0);
    const stream = rig.registry.open(COLLECT);
    const texts = ['1', '2', '3', 'bad', '5', '6', '7', '8'];
    texts.forEach((text, index) => {
      const service = index === 0 ? 'shop' : index === 4 ? 'mart' : undefined;
      stream.send(encodeLog(service === undefined ? { text } : { service, text }));
    });
    stream.halfClose();
    rig.run(5000);
    const accepted = rig.channel.calls.filter(
      (call) => !readLogsLikeOap(call.messages).some((log) => log.endsWith(':bad')),
    );
    assert.deepEqual(accepted.flatMap((call) => readLogsLikeOap(call.messages)).sort(), [
      'mart:5',
      'mart:6',
      'mart:7',
      'mart:8',
      'shop:1',
      'shop:2',
      'shop:3',
    ]);
    assert.equal(rig.pipe.ledger.snapshot().dropped.rejected?.messages, 1);
    rig.assertEmpty();
  });
});
