import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Health } from '../../../src/app/health.js';
import { HttpEndpoint } from '../../../src/app/telemetry/index.js';

interface Subject {
  servers: Map<string, { boundAddress: string }>;
  pipes: { name: string; hasRoom: boolean }[];
}

function createSubject(): Subject {
  return {
    servers: new Map([['grpc-server', { boundAddress: '127.0.0.1:11800' }]]),
    pipes: [{ name: 'als', hasRoom: true }],
  };
}

test('it is ready once every server listens', () => {
  const subject = createSubject();
  subject.servers.set('http-server', { boundAddress: '' });
  const health = new Health(subject);
  assert.equal(health.obstacle(), 'http-server does not listen yet');
  subject.servers.set('http-server', { boundAddress: '127.0.0.1:12800' });
  assert.ok(health.isReady());
});

test('it is not ready while a pipe would have to drop what comes', () => {
  const subject = createSubject();
  subject.pipes.push({ name: 'log', hasRoom: false });
  const health = new Health(subject);
  assert.match(health.obstacle() ?? '', /^pipe log /);
  subject.pipes.pop();
  assert.ok(health.isReady());
});

test('it is not ready from the begin of the drain on', () => {
  const health = new Health(createSubject());
  assert.ok(health.isReady());
  health.beginDrain();
  assert.equal(health.obstacle(), 'draining');
});

test('/live answers 200 always, /ready 503 with the reason while it is not ready', async (t) => {
  const health = new Health(createSubject());
  const endpoint = new HttpEndpoint('127.0.0.1:0');
  health.serve(endpoint);
  await endpoint.start();
  t.after(() => endpoint.close());
  const ask = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${endpoint.port}${path}`);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await ask('/ready'), [200, 'ready\n']);
  health.beginDrain();
  assert.deepEqual(await ask('/live'), [200, 'live\n']);
  assert.deepEqual(await ask('/ready'), [503, 'not ready: draining\n']);
});
