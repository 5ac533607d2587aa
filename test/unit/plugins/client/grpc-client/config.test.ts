import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { optionMeta } from '../../../../../src/core/options.js';
import { createGrpcClient } from '../../../../../src/plugins/client/grpc-client/index.js';
import { staticFinder } from '../../../../../src/plugins/finder/static/index.js';

const definition = createGrpcClient([staticFinder]);

describe('options of grpc-client', () => {
  it('has the defaults of the original', () => {
    const config = definition.schema.parse({});
    assert.equal(config.finder_type, 'static');
    assert.equal(config.server_addr, 'localhost:11800');
    assert.equal(config.enable_tls, false);
    assert.equal(config.client_pem_path, '');
    assert.equal(config.client_key_path, '');
    assert.equal(config.ca_pem_path, '');
    assert.equal(config.insecure_skip_verify, true);
    assert.equal(config.authentication, '');
    assert.equal(config.check_period, 5_000);
    assert.deepEqual(config.timeout, { unary: 5_000, stream: 20_000 });
  });

  it('reads values as the environment gives them', () => {
    const config = definition.schema.parse({
      server_addr: '10.0.0.1:11800,10.0.0.2:11800',
      enable_tls: 'true',
      insecure_skip_verify: 'false',
      check_period: '7',
      timeout: { unary: '1m30s' },
      connections_per_endpoint: '4',
      max_connection_age: '10m',
      authentication: '0123',
    });
    assert.equal(config.enable_tls, true);
    assert.equal(config.insecure_skip_verify, false);
    assert.equal(config.check_period, 7_000);
    assert.deepEqual(config.timeout, { unary: 90_000, stream: 20_000 });
    assert.equal(config.connections_per_endpoint, 4);
    assert.equal(config.max_connection_age, 600_000);
    assert.equal(config.authentication, '0123');
  });

  it('refuses a token that no header can carry, without showing it', () => {
    for (const authentication of ['to\nken', 'to\u0001ken', 'tök']) {
      const { error } = definition.schema.safeParse({ authentication });
      assert.match(error!.message, /printable ASCII/);
      assert.ok(!error!.message.includes('ken'));
    }
    // The line end of a mounted secret is no part of it.
    assert.equal(definition.schema.safeParse({ authentication: ' token 1\n' }).success, true);
  });

  it('keeps the token out of sight', () => {
    assert.equal(optionMeta(definition.schema.shape.authentication!)?.isSecret, true);
  });

  it('names each bad address', () => {
    const result = definition.schema.safeParse({ server_addr: 'oap:x, http://oap' });
    assert.equal(result.success, false);
    const issues = result.error.issues;
    assert.deepEqual(
      issues.map((issue) => issue.path),
      [['server_addr'], ['server_addr']],
    );
    assert.match(issues[0]!.message, /"oap:x" is no address/);
  });

  it('offers the finders there are', () => {
    assert.deepEqual(optionMeta(definition.schema.shape.finder_type!)?.values, ['static']);
    assert.equal(definition.schema.safeParse({ finder_type: 'kubernetes' }).success, false);
  });

  it('refuses bounds that make no sense', () => {
    for (const wrong of [{ check_period: 0 }, { connections_per_endpoint: 0 }, { timeout: { stream: 0 } }]) {
      assert.equal(definition.schema.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });
});
