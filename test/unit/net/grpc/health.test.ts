import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRPC_STATUS, HealthService, registerReflection } from '../../../../src/net/grpc/index.js';
import { FakeRegistry } from '../../../support/server-call.js';
import { Pair, Recorder, type RecordedCall } from './pair.js';

const CHECK = '/grpc.health.v1.Health/Check';
const WATCH = '/grpc.health.v1.Health/Watch';
const SERVING = Buffer.from([8, 1]);
const NOT_SERVING = Buffer.from([8, 2]);
const SERVICE_UNKNOWN = Buffer.from([8, 3]);

function request(service: string): Buffer {
  return Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]);
}

function healthy(): { pair: Pair; health: HealthService } {
  const pair = new Pair();
  const health = new HealthService(() => pair.server.paths, pair.wheel);
  health.register(pair.server);
  pair.server.register('/test.Service/Method', new Recorder());
  return { pair, health };
}

async function check(pair: Pair, body: Buffer): Promise<RecordedCall> {
  const record = pair.run(CHECK, [body]);
  // The answer is a promise on the server's side.
  while (record.status === null) {
    await Promise.resolve();
    pair.pump();
  }
  return record;
}

test('Check answers for the server and for each registered service', async () => {
  const { pair, health } = healthy();
  assert.deepEqual((await check(pair, Buffer.alloc(0))).messages, [NOT_SERVING]);
  health.setServing(true);
  assert.deepEqual((await check(pair, Buffer.alloc(0))).messages, [SERVING]);
  assert.deepEqual((await check(pair, request('test.Service'))).messages, [SERVING]);
  assert.equal((await check(pair, request('no.Such'))).status?.code, GRPC_STATUS.NOT_FOUND);
  assert.equal((await check(pair, Buffer.from([10, 99]))).status?.code, GRPC_STATUS.INVALID_ARGUMENT);
  assert.deepEqual(pair.bugs, []);
  assert.equal(pair.blocks.heldBytes, 0);
});

test('Watch tells each change and ends before the server does', () => {
  const { pair, health } = healthy();
  health.setServing(true);
  const watch = pair.run(WATCH, [request('test.Service')]);
  const unknown = pair.run(WATCH, [request('no.Such')]);
  assert.deepEqual(watch.messages, [SERVING]);
  assert.deepEqual(unknown.messages, [SERVICE_UNKNOWN]);
  assert.equal(watch.status, null);
  health.setServing(false);
  pair.pump();
  assert.deepEqual(watch.messages, [SERVING, NOT_SERVING]);
  assert.equal(watch.status!.code, GRPC_STATUS.UNAVAILABLE);
  assert.equal(pair.server.callCount, 0);
  assert.equal(pair.run(WATCH, [Buffer.from([10, 99])]).status?.code, GRPC_STATUS.INVALID_ARGUMENT);
  assert.equal(pair.run(WATCH, []).status?.code, GRPC_STATUS.INVALID_ARGUMENT);
  assert.equal(pair.blocks.heldBytes, 0);
});

test('readiness is asked for at each Check, and every second while somebody watches', async () => {
  const { pair, health } = healthy();
  let isReady = true;
  health.follow(() => isReady);
  health.setServing(true);
  const watch = pair.run(WATCH, [Buffer.alloc(0)]);
  isReady = false;
  assert.deepEqual((await check(pair, Buffer.alloc(0))).messages, [NOT_SERVING]);
  pair.clock.advance(1100);
  pair.pump();
  assert.deepEqual(watch.messages, [SERVING, NOT_SERVING]);
  pair.clock.advance(5000);
  isReady = true;
  pair.clock.advance(1100);
  pair.pump();
  assert.deepEqual(watch.messages, [SERVING, NOT_SERVING, SERVING]);
  assert.equal(watch.status, null);
  watch.call.cancel('enough');
  pair.pump();
  assert.equal(pair.wheel.size, 0);
});

test('reflection describes the health service, by name of file and of symbol', () => {
  const pair = new Pair();
  registerReflection(pair.server, () => pair.server.paths);
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const ask = (field: number, name: string): Buffer =>
    Buffer.concat([Buffer.from([(field << 3) | 2, name.length]), Buffer.from(name)]);
  const questions = [ask(3, 'grpc/health/v1/health.proto'), ask(4, 'grpc.health.v1.Health')];
  for (const reply of pair.run(path, questions).messages) assert.match(reply.toString('latin1'), /ServingStatus/);
});

test('reflection lists the services and says that it has no descriptors', () => {
  const pair = new Pair();
  pair.server.register('/b.Service/Method', new Recorder());
  pair.server.register('/a.Service/Other', new Recorder());
  registerReflection(pair.server, () => pair.server.paths);
  for (const version of ['v1', 'v1alpha']) {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const listed = pair.run(path, [Buffer.from([58, 1, 42]), Buffer.from([34, 1, 120])]);
    const text = listed.messages[0]!.toString('latin1');
    assert.ok(text.indexOf('a.Service') < text.indexOf('b.Service'));
    assert.ok(text.includes('grpc.reflection.v1alpha.ServerReflection'));
    assert.match(listed.messages[1]!.toString('latin1'), /no descriptor of this here/);
    assert.equal(listed.status?.code, 0);
    assert.equal(pair.run(path, [Buffer.from([10, 99])]).status?.code, GRPC_STATUS.INVALID_ARGUMENT);
  }
  pair.run('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', [Buffer.alloc(5000)]);
  assert.equal(pair.blocks.heldBytes, 0);
});

test('reflection gives up a caller who asks on without reading, and one whose question is no name', () => {
  const registry = new FakeRegistry();
  registerReflection(registry, () => ['/a.Service/Method']);
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const list = Buffer.from([58, 1, 42]);
  const deaf = registry.open(path).send(list);
  deaf.unsentBytes = 100_000;
  deaf.send(list);
  assert.equal(deaf.replies.length, 1);
  assert.equal(deaf.status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
  const long = registry.open(path).send(Buffer.concat([Buffer.from([0x1a, 0xa0, 0x1f]), Buffer.alloc(4000, 120)]));
  assert.equal(long.replies.length, 1);
  assert.equal(long.send(Buffer.alloc(5000)).status?.code, GRPC_STATUS.RESOURCE_EXHAUSTED);
});
