import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { BUG, SatelliteError } from '../../../../src/base/index.js';
import { EXIT_CODE, packageVersion, runCli } from '../../../../src/app/cli/index.js';
import type { StartOptions } from '../../../../src/app/cli/index.js';
import type { SatelliteConfig } from '../../../../src/app/config/index.js';
import { sampleCatalogue, sampleFile } from '../config/sample-catalogue.js';

const folder = mkdtempSync(join(tmpdir(), 'satellite-cli-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const GOOD = file('good.yaml', sampleFile());
const UNKNOWN_KEY = file('unknown-key.yaml', sampleFile({ server: 'adress: ":1"' }));
const BAD = file('bad.yaml', sampleFile({ server: 'max_concurrent_streams: many' }));

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly started: { readonly config: SatelliteConfig; readonly options: StartOptions } | null;
  readonly demoArgs: readonly string[] | null;
}

async function run(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  let out = '';
  let err = '';
  let started: Run['started'] = null;
  let demoArgs: Run['demoArgs'] = null;
  const io = {
    environment,
    out: (text: string): void => {
      out += text;
    },
    err: (text: string): void => {
      err += text;
    },
  };
  const code = await runCli(argv, io, {
    catalogue: sampleCatalogue,
    tables: { metrics: [], errors: [] },
    start: (config, options) => {
      started = { config, options };
      return Promise.resolve(EXIT_CODE.done);
    },
    inspectQueue: (directory) => {
      if (directory === 'nowhere') throw new SatelliteError(BUG, 'nothing is there');
      return `all about ${directory}\n`;
    },
    demo: (args) => {
      demoArgs = args;
      return Promise.resolve(EXIT_CODE.failed);
    },
  });
  return { code, out, err, started, demoArgs };
}

test('without a command it prints help and succeeds', async () => {
  for (const argv of [[], ['--help'], ['-h']]) {
    const { code, out } = await run(argv);
    assert.equal(code, EXIT_CODE.done);
    for (const command of ['start', 'validate', 'config', 'demo', 'docs'])
      assert.match(out, new RegExp(`^  ${command}`, 'm'));
  }
});

test('--version and -v print the version of the package', async () => {
  for (const flag of ['--version', '-v']) {
    assert.deepEqual([(await run([flag])).out, (await run([flag])).code], [`${packageVersion()}\n`, EXIT_CODE.done]);
  }
});

test('an unknown command or flag is a usage error', async () => {
  for (const argv of [['sart'], ['start', '--confg', 'x'], ['validate', 'extra'], ['start', '-c']]) {
    const { code, err } = await run(argv);
    assert.equal(code, EXIT_CODE.usage, argv.join(' '));
    assert.notEqual(err, '');
  }
});

test('start hands the decoded configuration on, with five seconds for the shutdown', async () => {
  const { code, started } = await run(['start', '-c', GOOD]);
  assert.equal(code, EXIT_CODE.done);
  assert.equal(started?.config.pipes[0]?.name, 'als');
  assert.deepEqual(started.options, { shutdownHookMs: 5000, configFile: GOOD });
});

test('the flag goes before the environment, an empty variable counts as unset', async () => {
  const both = { SATELLITE_CONFIG: BAD, SATELLITE_SHUTDOWN_HOOK_TIME: '7' };
  assert.equal(
    (await run(['start', '--config', GOOD, '--shutdown_hook_time=3'], both)).started?.options.shutdownHookMs,
    3000,
  );
  const environment = { SATELLITE_CONFIG: GOOD, SATELLITE_SHUTDOWN_HOOK_TIME: '7' };
  assert.equal((await run(['start'], environment)).started?.options.shutdownHookMs, 7000);
  const empty = { SATELLITE_CONFIG: GOOD, SATELLITE_SHUTDOWN_HOOK_TIME: '' };
  assert.equal((await run(['start'], empty)).started?.options.shutdownHookMs, 5000);
});

test('the shutdown time may have a base prefix or be a duration', async () => {
  const cases = { '0x10': 16_000, '010': 8000, '0b1': 1000, '12': 12_000, '1m': 60_000 };
  for (const [text, ms] of Object.entries(cases)) {
    assert.equal((await run(['start', '-c', GOOD, '-t', text])).started?.options.shutdownHookMs, ms, text);
  }
});

test('a shutdown time that is no time, or none at all, is told together with the problems of the file', async () => {
  for (const text of ['soon', '0', '-1']) {
    const { code, err, started } = await run(['start', '-c', BAD, `--shutdown_hook_time=${text}`]);
    assert.equal(code, EXIT_CODE.badConfiguration);
    assert.equal(started, null);
    assert.match(err, /max_concurrent_streams/);
    assert.match(err, /--shutdown_hook_time: expected a number of seconds above 0/);
  }
});

test('an unknown key is a warning at start and an error under validate', async () => {
  const started = await run(['start', '-c', UNKNOWN_KEY]);
  assert.equal(started.code, EXIT_CODE.done);
  assert.match(
    started.err,
    /^warning: .*unknown-key\.yaml:\d+:7: sharing\.servers\[0\]\.adress: unknown key.*"address"/m,
  );
  const validated = await run(['validate', '-c', UNKNOWN_KEY]);
  assert.equal(validated.code, EXIT_CODE.badConfiguration);
  assert.match(validated.err, /^\/.*unknown-key\.yaml:\d+:7/m);
  assert.match(validated.err, /1 problem\n$/);
});

test('validate names the pipes of a good file', async () => {
  const { code, out, err } = await run(['validate', '-c', GOOD]);
  assert.deepEqual([code, out, err], [EXIT_CODE.done, `${GOOD}: valid; pipes: als\n`, '']);
});

test('a file that is not there is a configuration error', async () => {
  const { code, err } = await run(['start', '-c', join(folder, 'absent.yaml')]);
  assert.equal(code, EXIT_CODE.badConfiguration);
  assert.match(err, /absent\.yaml: cannot be read \(ENOENT\)\. .*SAT_CFG_UNREADABLE/);
});

test('config prints what is in effect with secrets masked', async () => {
  const secret = file('secret.yaml', sampleFile({ client: 'authentication: hunter2' }));
  const { code, out } = await run(['config', '-c', secret]);
  assert.equal(code, EXIT_CODE.done);
  assert.match(out, /authentication: "?\*{6}"?$/m);
  assert.doesNotMatch(out, /hunter2/);
  assert.equal((await run(['config', '-c', BAD])).code, EXIT_CODE.badConfiguration);
});

test('demo gets its arguments as they are and decides the exit code', async () => {
  const { code, demoArgs } = await run(['demo', '--envoys', '20', '--kill-one', '--help']);
  assert.deepEqual(demoArgs, ['--envoys', '20', '--kill-one', '--help']);
  assert.equal(code, EXIT_CODE.failed);
});

test('docs --check fails with the names of the stale pages until docs has written them', async () => {
  const output = join(folder, 'site');
  const stale = await run(['docs', '--check', '-o', output]);
  assert.equal(stale.code, EXIT_CODE.failed);
  assert.match(stale.err, /^docs\/config\/client_grpc-client\.md is not up to date$/m);
  assert.equal((await run(['docs', '-o', output])).code, EXIT_CODE.done);
  assert.equal((await run(['docs', '--check', '-o', output])).code, EXIT_CODE.done);
  writeFileSync(join(output, 'docs/config/receiver_gone.md'), '');
  assert.match((await run(['docs', '--check', '-o', output])).err, /receiver_gone\.md is not up to date/);
  await run(['docs', '-o', output]);
  assert.equal((await run(['docs', '--check', '-o', output])).code, EXIT_CODE.done);
});

test('queue inspect prints what waits, or why it cannot tell', async () => {
  const told = await run(['queue', 'inspect', 'here']);
  assert.deepEqual([told.code, told.out, told.err], [EXIT_CODE.done, 'all about here\n', '']);
  const failed = await run(['queue', 'inspect', 'nowhere']);
  assert.deepEqual([failed.code, failed.out, failed.err], [EXIT_CODE.failed, '', 'nothing is there [SAT_BUG]\n']);
  assert.equal((await run(['queue', 'inspect'])).code, EXIT_CODE.usage);
});
