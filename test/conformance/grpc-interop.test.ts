/** The standard gRPC interop cases against independent implementations, both ways. */
import { after, before, describe, test } from 'node:test';
import { createCertificates, type TestCertificates } from '../support/certificates.js';
import { skipWithout } from '../support/components.js';
import { claimedCases } from './support/features.js';
import { INTEROP_CASES, type TestClient } from './support/interop-cases.js';
import { INTEROP_PEERS } from './support/interop-peers.js';
import { connectOurs } from './support/our-test-client.js';
import { serveOurs, type TestServer } from './support/our-test-service.js';

for (const peer of INTEROP_PEERS) {
  for (const isTls of [false, true]) {
    describe(`${peer.name} ${isTls ? 'over TLS' : 'in plain text'}`, { skip: skipWithout(...peer.needs) }, () => {
      let certificates: TestCertificates | null = null;
      before(() => {
        if (isTls) certificates = createCertificates();
      });
      after(() => certificates?.remove());

      describe('their client, our server', () => {
        let server: TestServer;
        before(async () => {
          server = await serveOurs(
            certificates === null ? null : { cert: certificates.serverCert, key: certificates.serverKey },
          );
        });
        after(() => server.close());
        for (const name of claimedCases(peer.name, 'their-client')) {
          test(name, () => peer.runClient(name, server.port, certificates));
        }
      });

      describe('our client, their server', () => {
        let server: TestServer;
        let client: TestClient;
        before(async () => {
          server = await peer.startServer(certificates);
          client = await connectOurs(server.port, certificates?.ca ?? null);
        });
        after(async () => {
          client.close();
          await server.close();
        });
        for (const name of claimedCases(peer.name, 'their-server')) test(name, () => INTEROP_CASES[name]?.(client));
      });
    });
  }
}
