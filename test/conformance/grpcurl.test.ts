import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { componentPath, skipWithout } from '../support/components.js';
import { Child } from '../support/process.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';
import { PROTOCOL_FOLDER } from './support/interop-protocol.js';

const ALS = 'envoy.service.accesslog.v3.AccessLogService';
const HEALTH = ['-import-path', PROTOCOL_FOLDER, '-proto', 'health.proto'];

describe('grpcurl', { skip: skipWithout('grpcurl') }, () => {
  async function run(...args: string[]): Promise<string> {
    const grpcurl = new Child({ name: 'grpcurl', command: componentPath('grpcurl'), args: ['-plaintext', ...args] });
    const { code } = await grpcurl.exited;
    assert.equal(code, 0, grpcurl.output);
    return grpcurl.output;
  }

  test('lists the services by reflection and finds them healthy', async (t) => {
    const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: [] }) });
    t.after(() => satellite.stop());
    const address = `127.0.0.1:${satellite.grpcPort}`;
    const services = (await run(address, 'list')).trim().split('\n');
    for (const name of [ALS, 'grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection']) {
      assert.ok(services.includes(name), `${name} is not among ${services.join(', ')}`);
    }
    for (const service of ['', ALS]) {
      const answer = await run(...HEALTH, '-d', JSON.stringify({ service }), address, 'grpc.health.v1.Health/Check');
      assert.deepEqual(JSON.parse(answer), { status: 'SERVING' });
    }
  });
});
