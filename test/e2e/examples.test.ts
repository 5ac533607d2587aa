import assert from 'node:assert/strict';
import { credentials, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createCertificates, type TestCertificates } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { findFaults, IndependentOap } from '../support/independent-oap.js';
import { pathsFor } from '../support/load.js';
import { repositoryUrl } from '../support/repository.js';
import { Satellite } from '../support/satellite.js';
import { makeTemporaryFolder } from '../support/temporary.js';

const EXAMPLES = readdirSync(repositoryUrl('configs')).filter((name) => name.endsWith('.yaml'));
const ENTRIES = 10;

describe('an example configuration carries access logs as it is', () => {
  let certificates: TestCertificates;

  before(() => {
    certificates = createCertificates();
  });
  after(() => {
    certificates.remove();
  });

  function clientCredentials(example: string): ChannelCredentials {
    return example === 'tls.yaml' ? credentials.createSsl(certificates.ca) : credentials.createInsecure();
  }

  function serverCredentials(example: string): ServerCredentials {
    if (example !== 'tls.yaml') return ServerCredentials.createInsecure();
    const pair = { private_key: certificates.serverKey, cert_chain: certificates.serverCert };
    return ServerCredentials.createSsl(certificates.ca, [pair], true);
  }

  function tlsFiles(): Record<string, string> {
    const file = (name: string): string => join(certificates.directory, name);
    return {
      SATELLITE_grpc_CA_PEM_PATH: file('ca.pem'),
      SATELLITE_GRPC_CLIENT_PEM_PATH: file('client.pem'),
      SATELLITE_GRPC_CLIENT_KEY_PATH: file('client.key'),
      SATELLITE_GRPC_TLS_CERT_FILE: file('server.pem'),
      SATELLITE_GRPC_TLS_KEY_FILE: file('server.key'),
    };
  }

  for (const example of EXAMPLES) {
    test(example, async (t) => {
      const oap = await new IndependentOap(0, {}, serverCredentials(example)).start();
      t.after(() => oap.kill());
      const satellite = await Satellite.start({
        // Without a metrics page of its own in the file, the test adds one.
        config: (ports) => withMetricsPage(readFileSync(repositoryUrl(`configs/${example}`), 'utf8'), ports.metrics),
        env: (ports) => ({
          SATELLITE_GRPC_ADDRESS: `127.0.0.1:${ports.grpc}`,
          SATELLITE_GRPC_CLIENT: oap.address,
          SATELLITE_TELEMETRY_PROMETHEUS_ADDRESS: `127.0.0.1:${ports.metrics}`,
          SATELLITE_QUEUE_DIR: makeTemporaryFolder(),
          ...(example === 'tls.yaml' ? tlsFiles() : {}),
        }),
      });
      t.after(() => satellite.child.kill());

      const paths = pathsFor('example', ENTRIES);
      const { grpcPort: port } = satellite;
      const envoy = new IndependentEnvoy({
        port,
        nodeId: 'one',
        version: 'v3',
        credentials: clientCredentials(example),
      });
      await envoy.send(paths);
      assert.equal(await envoy.finish(), null);
      await eventually({ until: 'the entries are delivered', withinMs: 15_000 }, async () => {
        return (await satellite.readBooks('envoy-als-v3')).delivered === ENTRIES ? true : undefined;
      });
      assert.deepEqual(findFaults(oap.http.get('one') ?? new Map<string, number>(), paths), []);
      assert.deepEqual(await satellite.stop(), { code: 0, signal: null });
    });
  }
});

function withMetricsPage(text: string, port: number): string {
  if (/^telemetry:/m.test(text)) return text;
  return `${text}\ntelemetry: { export_type: prometheus, prometheus: { address: "127.0.0.1:${port}" } }\n`;
}
