import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem } from '../../../../src/app/config/problem.js';
import { ORIGINAL_FILE } from './original-file.js';
import { decode, sampleFile, samplePipe } from './sample-catalogue.js';

/** `line:column path: message`, one a problem. */
function problemsOf(source: string, environment: Readonly<Record<string, string>> = {}): readonly string[] {
  return decode(source, environment).problems.map(({ position, path, message }) => {
    const place = position === null ? '-' : `${position.line}:${position.column}`;
    return `${place} ${path}: ${message}`;
  });
}

test('everything wrong with a file is told at once, in the order of the file', () => {
  const source = `loger:
  level: info
logger:
  level: loud
telemetry:
  export_type: prometheus,statsd
  prometheus:
    address: :11800
sharing:
  clients:
    - plugin_name: grpc-client
      check_period: soon
      timeout: 5s
      authentication: [a]
    - plugin_name: grpc-client
  servers:
    - plugin_name: grpc-serve
    - plugin_name: grpc-server
      accept_limit:
        cpu_utilisation: 100
pipes:
  - common_config:
      pipe_name: one
    gatherer:
      server_name: grpc-srv
      receiver:
        plugin_name: grpc-envoy-als-v3-receiver
        flush_tim: 5
      queue:
        plugin_name: memory-queue
        partition: 0
    sender:
      fallbacker:
        plugin_name: none-fallbacker
      client_name: grpc-cleint
      max_batch_bytes: huge
      forwarders:
        - plugin_name: envoy-als-v2-grpc-forwarder
  - gatherer:
      receiver:
        plugin_name: no-such-receiver
`;
  const lines = decode(source).problems.map((problem) => formatProblem('f.yaml', problem));
  assert.deepEqual(lines, [
    'f.yaml:1:1: loger: unknown key. Did you mean "logger"? [SAT_CFG_UNKNOWN_KEY]',
    'f.yaml:4:10: logger.level: there is no level "loud", info is used. There is: panic, fatal, error, warn, warning, info, debug, trace. [SAT_CFG_VALUE]',
    'f.yaml:6:16: telemetry.export_type: there is no exporter "statsd". There is: prometheus, none. [SAT_CFG_UNKNOWN_PLUGIN]',
    'f.yaml:12:21: sharing.clients[0].check_period: expected a duration such as 5s or 250ms, or a number of seconds, got "soon". The default is 5. [SAT_CFG_VALUE]',
    'f.yaml:13:16: sharing.clients[0].timeout: expected a map of options, got "5s". Correct the value. [SAT_CFG_VALUE]',
    'f.yaml:14:23: sharing.clients[0].authentication: expected a text, got something else. The default is "". [SAT_CFG_VALUE]',
    'f.yaml:15:20: sharing.clients[1].plugin_name: the client "grpc-client" stands here a second time (first in line 11). Keep one: pipes refer to a client by its plugin name. [SAT_CFG_DUPLICATE]',
    'f.yaml:17:20: sharing.servers[0].plugin_name: there is no server "grpc-serve". Did you mean "grpc-server"? [SAT_CFG_UNKNOWN_PLUGIN]',
    'f.yaml:18:7: sharing.servers[1].address: port 11800 is taken by telemetry.prometheus.address already. Choose another port. [SAT_CFG_PORT_CLASH]',
    'f.yaml:20:9: sharing.servers[1].accept_limit.cpu_utilisation: unknown key. Did you mean "cpu_utilization"? [SAT_CFG_UNKNOWN_KEY]',
    'f.yaml:25:20: pipes[0].gatherer.server_name: no server in sharing.servers is called "grpc-srv". There is: grpc-server. [SAT_CFG_REFERENCE]',
    'f.yaml:28:9: pipes[0].gatherer.receiver.flush_tim: unknown key. Did you mean "flush_time"? [SAT_CFG_UNKNOWN_KEY]',
    'f.yaml:31:20: pipes[0].gatherer.queue.partition: must be at least 1, got "0". The default is 1. [SAT_CFG_VALUE]',
    'f.yaml:35:20: pipes[0].sender.client_name: no client in sharing.clients is called "grpc-cleint". Did you mean "grpc-client"? [SAT_CFG_REFERENCE]',
    'f.yaml:36:24: pipes[0].sender.max_batch_bytes: expected a size such as 64MiB or 1GB, or a number of bytes, got "huge". The default is "1MiB". [SAT_CFG_VALUE]',
    'f.yaml:38:24: pipes[0].sender.forwarders[0].plugin_name: envoy-als-v2-grpc-forwarder forwards als-v2, but grpc-envoy-als-v3-receiver receives als-v3. Use envoy-als-v3-grpc-forwarder. [SAT_CFG_MISMATCH]',
    'f.yaml:39:5: pipes[1]: the pipe has no name. Add pipes[1].common_config.pipe_name. [SAT_CFG_MISSING]',
    'f.yaml:39:5: pipes[1]: the pipe has no sender. Add pipes[1].sender with fallbacker, client_name and forwarders. [SAT_CFG_MISSING]',
    'f.yaml:40:7: pipes[1].gatherer: there is no server_name. Add pipes[1].gatherer.server_name. [SAT_CFG_MISSING]',
    'f.yaml:40:7: pipes[1].gatherer: there is no queue. Add pipes[1].gatherer.queue. [SAT_CFG_MISSING]',
    'f.yaml:41:22: pipes[1].gatherer.receiver.plugin_name: there is no receiver "no-such-receiver". There is: grpc-envoy-als-v2-receiver, grpc-envoy-als-v3-receiver, grpc-native-log-receiver, grpc-native-management-receiver. [SAT_CFG_UNKNOWN_PLUGIN]',
  ]);
});

test('the warnings among them do not keep the program from starting', () => {
  const { config, problems } = decode(sampleFile({ rest: 'loger: {}' }));
  assert.notEqual(config, null);
  assert.deepEqual(
    problems.map((problem) => problem.severity),
    ['strict'],
  );
});

test('a pipe names each thing it lacks', () => {
  const source = 'pipes:\n  - common_config:\n  - processor: []\n    gatherer: x\n    sender: {flush_time: 1}\n';
  assert.deepEqual(problemsOf(source), [
    '2:5 pipes[0]: the pipe has no name',
    '2:5 pipes[0]: the pipe has no gatherer',
    '2:5 pipes[0]: the pipe has no sender',
    '3:5 pipes[1]: the pipe has no name',
    '3:16 pipes[1].processor: expected a map of options, got a list',
    '4:15 pipes[1].gatherer: expected a map of options, got "x"',
    '5:13 pipes[1].sender: there is no fallbacker',
    '5:13 pipes[1].sender: there is no client_name',
    '5:13 pipes[1].sender: the sender has no forwarder',
  ]);
});

test('a file without pipes cannot be meant', () => {
  for (const pipes of ['', '  []']) {
    assert.deepEqual(problemsOf(sampleFile({ pipes })), ['2:1 pipes: there is no pipe']);
  }
});

test('a pipe that refers to a client or server that is not there is told so', () => {
  assert.deepEqual(problemsOf(`pipes:\n${samplePipe()}`), [
    '5:20 pipes[0].gatherer.server_name: no server in sharing.servers is called "grpc-server"',
    '15:20 pipes[0].sender.client_name: no client in sharing.clients is called "grpc-client"',
  ]);
});

test('a reference to a client with a fault is not dangling as well', () => {
  assert.deepEqual(problemsOf(sampleFile({ client: 'check_period: x' })), [
    '5:21 sharing.clients[0].check_period: expected a duration such as 5s or 250ms, or a number of seconds, got "x"',
  ]);
});

test('two pipes of one name and one receiver twice on a server exclude each other', () => {
  assert.deepEqual(problemsOf(sampleFile({ pipes: samplePipe() + samplePipe() })), [
    '27:5 pipes[1]: a pipe called "als" stands in line 10 already',
    '27:5 pipes[1].gatherer.receiver: grpc-envoy-als-v3-receiver is on grpc-server already, in the pipe of line 10',
  ]);
});

test('a receiver and a forwarder of different data types do not fit', () => {
  const pipes = samplePipe().replace('envoy-als-v3-grpc-forwarder', 'native-log-grpc-forwarder');
  assert.deepEqual(problemsOf(sampleFile({ pipes })), [
    '25:24 pipes[0].sender.forwarders[0].plugin_name: native-log-grpc-forwarder forwards log, but grpc-envoy-als-v3-receiver receives als-v3',
  ]);
});

test('two listeners on one port clash, also through the wildcard address', () => {
  const clash = ['8:16 sharing.servers[0].address: port 1234 is taken by telemetry.prometheus.address already'];
  assert.deepEqual(problemsOf(sampleFile({ server: 'address: 127.0.0.1:1234' })), clash);
  const rest = (address: string): string => `telemetry: {prometheus: {address: "${address}"}}`;
  const server = 'address: 127.0.0.1:1234';
  assert.deepEqual(problemsOf(sampleFile({ server, rest: rest('0.0.0.0:1234') })), clash);
  assert.deepEqual(problemsOf(sampleFile({ server, rest: rest('127.0.0.2:1234') })), []);
  assert.deepEqual(problemsOf(sampleFile({ server, rest: 'telemetry: {export_type: none}' })), []);
  assert.deepEqual(problemsOf(sampleFile({ server: 'address: :0', rest: rest(':0') })), []);
});

test('a wrong value from the environment names its variable, one from the file does not', () => {
  const source = sampleFile({
    client: 'check_period: ${PERIOD:soon}',
    rest: 'logger: {level: "${LEVEL:info}"}\ntelemetry: {export_type: "${EXPORT:prometheus}"}\nresources: {memory_limit: "${AMOUNT:40}${UNIT:%}"}',
  });
  const told = (environment: Readonly<Record<string, string>>): string =>
    decode(source, environment)
      .problems.map((problem) => formatProblem('f', problem))
      .join('\n');
  assert.match(told({ PERIOD: '' }), /, got "soon"\. /);
  assert.match(told({ PERIOD: 'late' }), /, got "late" \(set by PERIOD\)\. The default is 5\./);
  assert.match(told({ AMOUNT: '9', UNIT: 'x' }), /memory_limit: .*, got "9x" \(set by AMOUNT, UNIT\)\. Write a share/);
  assert.match(told({ LEVEL: 'loud' }), /there is no level "loud", info is used \(set by LEVEL\)\./);
  assert.match(told({ EXPORT: 'statsd' }), /there is no exporter "statsd" \(set by EXPORT\)\./);
});

test('an address for metrics that cannot be read is told before the start, unless nothing listens there', () => {
  const rest = (type: string): string => `telemetry: {export_type: ${type}, prometheus: {address: "1234"}}`;
  assert.deepEqual(problemsOf(sampleFile({ rest: rest('prometheus') })), [
    '1:60 telemetry.prometheus.address: expected host:port, [IPv6]:port or :port, got "1234"',
  ]);
  assert.deepEqual(problemsOf(sampleFile({ rest: rest('none') })), []);
});

test('metrics cannot have the path of a health check', () => {
  for (const [path, faults] of [
    ['/ready', 1],
    ['/live', 1],
    ['/metrics/live', 0],
  ] as const) {
    assert.equal(problemsOf(sampleFile({ rest: `telemetry: {prometheus: {endpoint: ${path}}}` })).length, faults, path);
  }
});

test('a secret never stands in a problem', () => {
  const lines = problemsOf(sampleFile({ client: 'authentication: [hunter2]' }));
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines.join(), /hunter2/);
});

test('a secret with a stray placeholder in it does not stand in a problem either', () => {
  for (const token of ['${s3cret', '${9:s3cret', 'x${TOKEN:s3cret', '${TOKEN s3cret', '${TOKENs3cret}', '${s3cret}']) {
    const lines = problemsOf(sampleFile({ client: `authentication: '${token}'` }));
    assert.equal(lines.length, 1, token);
    assert.doesNotMatch(lines.join(), /s3cret/);
  }
});

test('broken YAML is told with its place', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['a: [1\nb: 2\n', /^2:1 : flow sequence/],
    ['a: 1\na: 2\n', /^2:1 : map keys must be unique$/],
    ['logger:\n  level: info\n  Level: warn\n', /^3:3 logger.Level: the key stands here twice, as "level" \(line 2\)/],
    ['', /^- : the file is empty$/],
    ['# nothing\n', /^- : the file is empty$/],
    ['- a\n', /^1:1 : the file must be a map of sections$/],
    ['a: *nobody\n', /^1:4 a: there is no anchor &nobody$/],
    ['? [a]\n: b\n', /^1:3 : a key must be a text$/],
  ];
  for (const [source, expected] of cases) {
    assert.ok(
      problemsOf(source).some((line) => expected.test(line)),
      `${source}: ${problemsOf(source).join('; ')}`,
    );
  }
});

test('an alias inside its own anchor ends in one problem', () => {
  const limits = problemsOf('a: &a [*a, *a]\n').filter((line) => line.includes('more than 100000 values or 64 levels'));
  assert.equal(limits.length, 1);
});

test('only the first document is read, and that is told', () => {
  assert.deepEqual(problemsOf(`${sampleFile()}---\nx: 1\n`), ['- : only the first YAML document of the file is read']);
});

test('a placeholder without an end is an error, one without a default a strict warning', () => {
  const open = decode(sampleFile({ client: 'server_addr: ${OAP:x' }));
  assert.equal(open.config, null);
  assert.deepEqual(problemsOf(sampleFile({ client: 'server_addr: ${OAP:x' })), [
    '5:20 sharing.clients[0].server_addr: the placeholder ${OAP… has no end',
  ]);
  const bare = decode(sampleFile({ client: 'server_addr: ${OAP}' }));
  assert.notEqual(bare.config, null);
  assert.deepEqual(problemsOf(sampleFile({ client: 'server_addr: ${OAP}' })), [
    '5:20 sharing.clients[0].server_addr: ${OAP} is no placeholder and stays as it is',
  ]);
});

test('a file of the original names in one list what is not here yet, and what is', () => {
  const { config, problems } = decode(ORIGINAL_FILE, { SATELLITE_GRPC_CLIENT_FINDER: 'kubernetes' });
  assert.equal(config, null);
  assert.deepEqual(
    problems.map((problem) => [problem.severity, problem.kind.code]),
    [
      ['warning', 'SAT_CFG_NOT_YET'],
      ['error', 'SAT_CFG_NOT_YET'],
    ],
  );
  assert.equal(problems[1]?.message, '15 places ask for what this version does not have yet');
  const details = problems[1].details;
  assert.deepEqual(details.slice(0, 3), [
    'line 12        sharing.clients[0].finder_type  kubernetes (there is: static) (set by SATELLITE_GRPC_CLIENT_FINDER)',
    'lines 68-90    tracingpipe                     grpc-native-tracing-receiver, native-tracing-grpc-forwarder',
    'lines 91-113   profilepipe                     grpc-native-profile-receiver, native-profile-grpc-forwarder',
  ]);
  assert.match(details.at(-1) ?? '', /^There is, as forwarder: envoy-als-v2-grpc-forwarder, /);
});

test('a file of the original starts once these lines are commented out', () => {
  const lines = ORIGINAL_FILE.split('\n');
  for (const detail of decode(ORIGINAL_FILE).problems[1]?.details ?? []) {
    const range = /^lines (\d+)-(\d+)/.exec(detail);
    if (range === null) continue;
    for (let line = Number(range[1]); line <= Number(range[2]); line++) lines[line - 1] = `# ${lines[line - 1] ?? ''}`;
  }
  const { config, problems } = decode(lines.join('\n'));
  assert.deepEqual(
    config?.pipes.map((pipe) => pipe.name),
    ['logpipe', 'managementpipe', 'envoy-als-v2', 'envoy-als-v3'],
  );
  assert.equal(problems.length, 1);
});

test('an exporter that is not here yet is left out with a warning', () => {
  const { config, problems } = decode(sampleFile({ rest: 'telemetry: {export_type: "pprof,prometheus"}' }));
  assert.deepEqual(config?.telemetry.export_type, ['prometheus']);
  assert.deepEqual(
    problems.map((problem) => problem.severity),
    ['warning'],
  );
});

test('other shared plugins of the original are on the same list, and pipes through them are not dangling as well', () => {
  const source = sampleFile({ pipes: samplePipe().replace('client_name: grpc-client', 'client_name: kafka-client') });
  const { problems } = decode(
    source.replace('  servers:', '    - plugin_name: kafka-client\n      brokers: a:9092\n  servers:'),
  );
  assert.equal(problems.length, 1);
  assert.deepEqual(problems[0]?.details, [
    'lines 6-7  sharing.clients[1]  kafka-client',
    'There is, as client: grpc-client',
  ]);
});

test('a value that several checks look at is told once', () => {
  const pipes = samplePipe().replace('plugin_name: grpc-envoy-als-v3-receiver', 'plugin_name: [a]');
  const lines = problemsOf(sampleFile({ pipes }));
  assert.deepEqual(lines.length, new Set(lines).size);
});

test('an unknown level is info, as in the original, and a fault under validate', () => {
  const { config, problems } = decode(sampleFile({ rest: 'logger: {level: verbose}' }));
  assert.equal(config?.logger.level, 'info');
  assert.deepEqual(
    problems.map(({ severity, path }) => [severity, path]),
    [['strict', 'logger.level']],
  );
  assert.equal(decode(sampleFile({ rest: 'logger: {level: " WARN"}' })).config?.logger.level, 'warn');
});
