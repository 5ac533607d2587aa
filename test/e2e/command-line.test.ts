import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { repositoryUrl } from '../support/repository.js';
import { runSatellite, writeAlsConfig } from '../support/satellite.js';
import { writeTemporary } from '../support/temporary.js';

const SOUND = writeAlsConfig({ oaps: ['127.0.0.1:11800'] });

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

async function run(...args: string[]): Promise<Outcome> {
  const child = runSatellite(args);
  const { code } = await child.exited;
  return { code, output: child.output };
}

function configFile(change: (text: string) => string = (text) => text): string {
  return writeTemporary('config.yaml', change(SOUND({ grpc: 1, metrics: 2 })));
}

test('--version prints the version of the package', async () => {
  const manifest = JSON.parse(readFileSync(repositoryUrl('package.json'), 'utf8')) as { version: string };
  assert.deepEqual(await run('--version'), { code: 0, output: `${manifest.version}\n` });
});

test('a sound file passes validate', async () => {
  assert.equal((await run('validate', '-c', configFile())).code, 0);
});

test('every problem of a bad file is listed with its line, and the exit code is 78', async () => {
  const bad = configFile((text) =>
    text
      .replace('server_name: grpc-server', 'server_name: no-such-server')
      .replace('none-fallbacker', 'no-such-fallbacker'),
  );
  const lineOf = (part: string): number =>
    readFileSync(bad, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(part)) + 1;
  for (const command of ['validate', 'start']) {
    const { code, output } = await run(command, '-c', bad);
    assert.equal(code, 78, output);
    for (const name of ['no-such-server', 'no-such-fallbacker']) {
      assert.match(output, new RegExp(`\\b${lineOf(name)}\\b.*${name}|${name}.*\\b${lineOf(name)}\\b`), output);
    }
  }
});

test('an unknown key fails validate and is named with its nearest relative', async () => {
  const { code, output } = await run(
    'validate',
    '-c',
    configFile((text) => text.replace('pipe_name', 'pipe_nam')),
  );
  assert.equal(code, 78);
  assert.match(output, /pipe_nam\b.*pipe_name/);
});

test('a file that is not there, or is no YAML, is a bad configuration', async () => {
  assert.equal((await run('start', '-c', '/no/such/file.yaml')).code, 78);
  assert.equal((await run('start', '-c', writeTemporary('config.yaml', 'pipes: [\n'))).code, 78);
});

test('wrong usage is 2', async () => {
  assert.equal((await run('start', '--no-such-flag')).code, 2);
  assert.equal((await run('no-such-command')).code, 2);
});

test('a port that is taken is a failure at run time: 1, with the address', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const config = writeTemporary('config.yaml', SOUND({ grpc: port, metrics: 0 }));
  const { code, output } = await run('start', '-c', config);
  taken.close();
  assert.equal(code, 1, output);
  assert.match(output, new RegExp(`127\\.0\\.0\\.1:${port}`));
});
