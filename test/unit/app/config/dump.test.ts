import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dumpConfig, SECRET_MASK, writtenDuration, writtenSize } from '../../../../src/app/config/dump.js';
import { decodeWell, sampleCatalogue, sampleFile, samplePipe } from './sample-catalogue.js';

function dump(source: string): string {
  return dumpConfig(decodeWell(source), sampleCatalogue);
}

test('what is dumped can be loaded again and comes to the same', () => {
  const sources = [
    readFileSync('configs/satellite_config.yaml', 'utf8'),
    sampleFile({
      client: 'server_addr: "$${literal}"\nca_pem_path: "0123"\nclient_key_path: "true"\ncheck_period: 1500ms',
      server: 'max_recv_msg_size: 1000',
      pipes: samplePipe({ name: '"null"', sender: 'retry: {max_interval: 90s}' }),
      rest: 'logger: {format: json}\ntelemetry: {export_type: none}\nresources: {memory_limit: 100MiB}',
    }),
  ];
  for (const source of sources) assert.deepEqual(decodeWell(dump(source)), decodeWell(source));
});

test('a secret is masked, an empty one is shown empty', () => {
  assert.match(
    dump(sampleFile({ client: 'authentication: hunter2' })),
    new RegExp(`authentication: "?${'\\*'.repeat(SECRET_MASK.length)}"?\n`),
  );
  assert.match(dump(sampleFile()), /authentication: ""\n/);
});

test('durations and sizes are written with their units', () => {
  assert.deepEqual([0, 1, 1500, 5000, 90_000].map(writtenDuration), ['0ms', '1ms', '1500ms', '5s', '90s']);
  assert.deepEqual([0, 1000, 2048, 50 * 1024 ** 2].map(writtenSize), [0, 1000, '2KiB', '50MiB']);
});
