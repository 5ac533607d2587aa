/** Load generators of others, with many connections: no call may fail, no entry may be missing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { componentPath, skipWithout } from '../support/components.js';
import { eventually } from '../support/eventually.js';
import { IndependentOap } from '../support/independent-oap.js';
import { encodeAccessLog, type AccessLogMessage } from '../support/independent-protocol.js';
import { Child } from '../support/process.js';
import { repositoryUrl } from '../support/repository.js';
import { Satellite, writeAlsConfig } from '../support/satellite.js';
import { makeTemporaryFolder, writeTemporary } from '../support/temporary.js';

const CONNECTIONS = 1_000;
const CALLS = 4_000;
const PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
const MESSAGE: AccessLogMessage = {
  identifier: { node: { id: 'load' }, log_name: 'http' },
  http_logs: { log_entry: [{ request: { path: '/' } }] },
};

async function startSatellite(t: TestContext): Promise<Satellite> {
  const oap = await new IndependentOap().start();
  t.after(() => oap.kill());
  const satellite = await Satellite.start({ config: writeAlsConfig({ oaps: [oap.address] }) });
  t.after(() => satellite.stop());
  return satellite;
}

async function run(command: 'h2load' | 'ghz', args: readonly string[]): Promise<string> {
  const child = new Child({ name: command, command: componentPath(command), args });
  const { code } = await child.exited;
  assert.equal(code, 0, child.output);
  return child.output;
}

/** Each call carried one entry. */
async function waitDelivered(satellite: Satellite): Promise<void> {
  const books = await eventually({ until: 'Satellite holds nothing', withinMs: 20_000 }, async () => {
    const now = await satellite.readBooks('envoy-als-v3');
    return now.received === CALLS && now.held === 0 ? now : undefined;
  });
  assert.deepEqual(books, { received: CALLS, delivered: CALLS, dropped: 0, held: 0 });
}

test(
  `h2load makes ${CALLS} calls over ${CONNECTIONS} connections, none fails`,
  { skip: skipWithout('h2load') },
  async (t) => {
    const satellite = await startSatellite(t);
    const message = encodeAccessLog(MESSAGE);
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    const body = writeTemporary('call.bin', Buffer.concat([prefix, message]));
    const output = await run('h2load', [
      ...['-n', `${CALLS}`, '-c', `${CONNECTIONS}`, '-m', '2', '-d', body],
      ...['-H', 'content-type: application/grpc', '-H', 'te: trailers'],
      `http://127.0.0.1:${satellite.grpcPort}${PATH}`,
    ]);
    const requests = /requests: (.*)/.exec(output)?.[1];
    assert.equal(
      requests,
      `${CALLS} total, ${CALLS} started, ${CALLS} done, ${CALLS} succeeded, 0 failed, 0 errored, 0 timeout`,
    );
    await waitDelivered(satellite);
  },
);

test(
  `ghz makes ${CALLS} calls over ${CONNECTIONS} connections, all are OK`,
  { skip: skipWithout('ghz') },
  async (t) => {
    const satellite = await startSatellite(t);
    const report = join(makeTemporaryFolder(), 'report.json');
    await run('ghz', [
      ...['--insecure', '--proto', fileURLToPath(repositoryUrl('test/e2e/proto/access-log.proto'))],
      ...['--call', PATH.slice(1), '--data', JSON.stringify([MESSAGE])],
      ...['--total', `${CALLS}`, '--concurrency', `${CONNECTIONS}`, '--connections', `${CONNECTIONS}`],
      ...['--format', 'json', '--output', report, `127.0.0.1:${satellite.grpcPort}`],
    ]);
    const { statusCodeDistribution, errorDistribution } = JSON.parse(readFileSync(report, 'utf8')) as Record<
      string,
      unknown
    >;
    assert.deepEqual(statusCodeDistribution, { OK: CALLS }, JSON.stringify(errorDistribution));
    await waitDelivered(satellite);
  },
);
