import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createSchema } from '../../../../../src/plugins/client/grpc-client/config.js';
import type { GrpcClientConfig } from '../../../../../src/plugins/client/grpc-client/config.js';
import type { ClientTlsSettings } from '../../../../../src/net/socket/index.js';
import { readTlsSettings } from '../../../../../src/plugins/client/grpc-client/tls-files.js';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n';
/** The file names of the shipped configuration, none of which exists where tests run. */
const SHIPPED = { client_pem_path: 'client.pem', client_key_path: 'client.key', ca_pem_path: 'ca.pem' };

function configOf(options: object): GrpcClientConfig {
  return createSchema(['static']).parse(options);
}

/** Without what messages call them. */
function partsOf(tls: ClientTlsSettings | null): object {
  assert.ok(tls !== null);
  const { names: _, ...parts } = tls;
  return parts;
}

describe('TLS files of grpc-client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satellite-tls-'));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('cert'), CERTIFICATE);
  writeFileSync(path('key'), KEY);
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('does not look at any file without enable_tls', async () => {
    const missing = { client_pem_path: '/none', client_key_path: '/none', ca_pem_path: '/none' };
    assert.equal(await readTlsSettings(configOf({ enable_tls: false, ...missing })), null);
  });

  it('takes the shipped names for not set when there are no such files', async () => {
    const tls = await readTlsSettings(configOf({ enable_tls: true, insecure_skip_verify: false, ...SHIPPED }));
    assert.deepEqual(partsOf(tls), { insecureSkipVerify: false });
  });

  it('reads what is there', async () => {
    const files = { ca_pem_path: path('cert'), client_pem_path: path('cert'), client_key_path: path('key') };
    const tls = await readTlsSettings(configOf({ enable_tls: true, tls_server_name: 'oap.internal', ...files }));
    assert.deepEqual(tls?.names?.key, `client_key_path ${path('key')}`);
    assert.deepEqual(partsOf(tls), {
      insecureSkipVerify: true,
      ca: CERTIFICATE,
      cert: CERTIFICATE,
      key: KEY,
      serverName: 'oap.internal',
    });
  });

  it('uses no client certificate when only one of the two files is named', async () => {
    const tls = await readTlsSettings(configOf({ enable_tls: true, client_pem_path: '/none' }));
    assert.deepEqual(partsOf(tls), { insecureSkipVerify: true });
  });

  const wrong: readonly [string, object, RegExp][] = [
    ['a named file that does not exist', { ca_pem_path: '/none' }, /^ca_pem_path \/none does not exist$/],
    ['a directory', { ca_pem_path: folder }, /^ca_pem_path .* is a directory$/],
    [
      'a certificate without its key',
      { client_pem_path: path('cert'), client_key_path: 'client.key' },
      /^client_key_path client.key does not exist, but client_pem_path .*cert does$/,
    ],
  ];
  for (const [what, options, message] of wrong) {
    it(`refuses ${what}, and says which`, async () => {
      const config = configOf({ enable_tls: true, ...options });
      await assert.rejects(readTlsSettings(config), { code: 'SAT_PLG_TLS_FILE', message });
    });
  }
});
