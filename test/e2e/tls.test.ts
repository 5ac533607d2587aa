import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { createCertificates, type TestCertificates } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { IndependentEnvoy } from '../support/independent-envoy.js';
import { findFaults, IndependentOap } from '../support/independent-oap.js';
import { pathsFor } from '../support/load.js';
import { MountedSecret } from '../support/mounted-secret.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';

const PATIENCE_MS = 10_000;

interface Setup {
  readonly files: TestCertificates;
  readonly oap: IndependentOap;
  readonly satellite: Satellite;
}

async function start(t: TestContext, serverOptions: Readonly<Record<string, string>>): Promise<Setup> {
  const files = createCertificates();
  const secret = new MountedSecret({ 'tls.crt': files.serverCert, 'tls.key': files.serverKey, 'ca.crt': files.ca });
  const oap = await new IndependentOap().start();
  const tls = { tls_cert_file: secret.path('tls.crt'), tls_key_file: secret.path('tls.key') };
  const options = { ...tls, tls_ca_file: secret.path('ca.crt'), ...serverOptions };
  const receiverOptions = { flush_time: 50 };
  const satellite = await Satellite.start({
    config: writeAlsConfig({ oaps: [oap.address], serverOptions: options, receiverOptions }),
  });
  t.after(async () => {
    await satellite.child.kill();
    oap.kill();
    secret.remove();
    files.remove();
  });
  return { files, oap, satellite };
}

test('an Envoy with a certificate is served, one without is refused with the reason in the log', async (t) => {
  const { files, oap, satellite } = await start(t, {});
  const port = satellite.grpcPort;
  const paths = pathsFor('known', 20);
  const own = credentials.createSsl(files.ca, files.clientKey, files.clientCert);
  const known = new IndependentEnvoy({ port, nodeId: 'known', version: 'v3', credentials: own });
  await known.send(paths);
  assert.equal(await known.finish(), null);
  const none = credentials.createSsl(files.ca);
  const stranger = new IndependentEnvoy({ port, nodeId: 'stranger', version: 'v3', credentials: none });
  await stranger.send(pathsFor('stranger', 20));
  assert.notEqual(await stranger.waitEnded(), null);
  await eventually({ until: 'the entries are there', withinMs: PATIENCE_MS, everyMs: 20 }, () =>
    findFaults(oap.http.get('known') ?? new Map<string, number>(), paths).length === 0 ? true : undefined,
  );
  assert.equal(oap.http.has('stranger'), false);
  assert.match(satellite.child.output, /a TLS connection failed/);
  assert.match(satellite.child.output, /a client certificate is required, and none was shown/);
});

test('connections that end by age lose nothing: each stream ends with OK behind a message, and the next goes on', async (t) => {
  const { files, oap, satellite } = await start(t, { tls_client_auth: 'optional', max_connection_age: '1s' });
  const secure = credentials.createSsl(files.ca);
  const paths = pathsFor('old', 120);
  let sent = 0;
  let streams = 0;
  while (sent < paths.length) {
    const settings = { port: satellite.grpcPort, nodeId: 'old', version: 'v3', credentials: secure } as const;
    const envoy = new IndependentEnvoy(settings);
    const ending = { hasEnded: false };
    void envoy.ended.then(() => (ending.hasEnded = true));
    streams++;
    while (sent < paths.length && !ending.hasEnded) {
      await envoy.send(paths.slice(sent, sent + 1));
      sent++;
      await sleep(30);
    }
    assert.equal(await (ending.hasEnded ? envoy.waitEnded() : envoy.finish()), null);
  }
  await eventually({ until: 'all entries are there, once', withinMs: PATIENCE_MS, everyMs: 20 }, () =>
    findFaults(oap.http.get('old') ?? new Map<string, number>(), paths).length === 0 ? true : undefined,
  );
  assert.ok(streams >= 3, String(streams));
});
