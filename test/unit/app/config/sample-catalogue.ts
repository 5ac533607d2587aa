/** Plugins with the original's options, without their run time, and small files to decode with them. */
import { z } from 'zod';
import { Catalogue, decodeConfig } from '../../../../src/app/config/index.js';
import type { AnyDefinition, LoadResult, SatelliteConfig } from '../../../../src/app/config/index.js';
import {
  booleanOption,
  durationOption,
  enumOption,
  groupOption,
  integerOption,
  numberOption,
  sizeOption,
  stringOption,
} from '../../../../src/core/options.js';
import type { DataType } from '../../../../src/core/data-type.js';
import type { PluginKind } from '../../../../src/core/plugin.js';

const text = (value: string): z.ZodType<string> => stringOption({ doc: 'A text.', default: value });

function define(kind: PluginKind, name: string, shape: Record<string, z.ZodType>, dataType?: DataType): AnyDefinition {
  return {
    kind,
    name,
    title: name,
    description: `The ${name}.`,
    stability: 'stable',
    schema: z.object(shape),
    ...(dataType === undefined ? {} : { dataType }),
  };
}

const windows = {
  flush_time: durationOption({ doc: 'Wait.', default: 1000, unit: 'ms' }),
  limit_count: integerOption({ doc: 'Messages.', default: 500, min: 1 }),
};
const partition = { partition: integerOption({ doc: 'Partitions.', default: 1, min: 1 }) };

export const sampleCatalogue = new Catalogue([
  define('finder', 'static', { server_addr: text('oap:11800') }),
  define('client', 'grpc-client', {
    finder_type: enumOption(['static'], { doc: 'Finder.', default: 'static' }),
    server_addr: text('oap:11800'),
    enable_tls: booleanOption({ doc: 'TLS.', default: false }),
    client_pem_path: text(''),
    client_key_path: text(''),
    ca_pem_path: text(''),
    insecure_skip_verify: booleanOption({ doc: 'Trust anybody.', default: true }),
    authentication: stringOption({ doc: 'Token.', default: '', isSecret: true }),
    check_period: durationOption({ doc: 'Period.', default: 5, unit: 's', min: 1 }),
    timeout: groupOption({
      unary: durationOption({ doc: 'Of unary calls.', default: '5s', unit: 's' }),
      stream: durationOption({ doc: 'Of streams.', default: '20s', unit: 's' }),
    }),
  }),
  define('server', 'grpc-server', {
    address: text(':11800'),
    max_recv_msg_size: sizeOption({ doc: 'Largest message.', default: '50MiB' }),
    max_concurrent_streams: integerOption({ doc: 'Streams.', default: 32 }),
    tls_cert_file: text(''),
    tls_key_file: text(''),
    accept_limit: groupOption({
      cpu_utilization: numberOption({ doc: 'CPU.', default: 75, unit: 'percent' }),
      connection_count: integerOption({ doc: 'Connections.', default: 4000 }),
    }),
  }),
  define('receiver', 'grpc-native-log-receiver', {}, 'log'),
  define('receiver', 'grpc-native-management-receiver', {}, 'management'),
  define('receiver', 'grpc-envoy-als-v2-receiver', windows, 'als-v2'),
  define('receiver', 'grpc-envoy-als-v3-receiver', windows, 'als-v3'),
  define('queue', 'memory-queue', {
    event_buffer_size: integerOption({ doc: 'Events.', default: 5000, min: 1 }),
    ...partition,
  }),
  define('queue', 'none-queue', partition),
  define('fallbacker', 'none-fallbacker', {}),
  define('forwarder', 'native-log-grpc-forwarder', {}, 'log'),
  define('forwarder', 'native-management-grpc-forwarder', {}, 'management'),
  define('forwarder', 'envoy-als-v2-grpc-forwarder', {}, 'als-v2'),
  define('forwarder', 'envoy-als-v3-grpc-forwarder', {}, 'als-v3'),
]);

const NOTHING: Readonly<Record<string, string>> = {};

/** Decodes `source` as the file `test.yaml` on a machine of 1 GiB. */
export function decode(source: string, environment: Readonly<Record<string, string>> = NOTHING): LoadResult {
  return decodeConfig(source, 'test.yaml', environment, sampleCatalogue, 1024 ** 3);
}

/** The configuration, or an error that shows what was wrong. */
export function decodeWell(source: string, environment: Readonly<Record<string, string>> = NOTHING): SatelliteConfig {
  const { config, problems } = decode(source, environment);
  if (config === null) throw new Error(problems.map((problem) => `${problem.path}: ${problem.message}`).join('\n'));
  return config;
}

/** A complete file; the arguments replace parts of it. */
export function sampleFile(parts: { client?: string; server?: string; pipes?: string; rest?: string } = {}): string {
  return `${parts.rest ?? ''}
sharing:
  clients:
    - plugin_name: grpc-client
${indent(parts.client ?? '', 6)}
  servers:
    - plugin_name: grpc-server
${indent(parts.server ?? '', 6)}
pipes:
${parts.pipes ?? samplePipe()}
`;
}

/** One pipe of access logs; the arguments are further lines of its parts. */
export function samplePipe(parts: { name?: string; receiver?: string; queue?: string; sender?: string } = {}): string {
  return `  - common_config:
      pipe_name: ${parts.name ?? 'als'}
    gatherer:
      server_name: grpc-server
      receiver:
        plugin_name: grpc-envoy-als-v3-receiver
${indent(parts.receiver ?? '', 8)}
      queue:
        plugin_name: memory-queue
${indent(parts.queue ?? '', 8)}
    sender:
      fallbacker:
        plugin_name: none-fallbacker
      client_name: grpc-client
      forwarders:
        - plugin_name: envoy-als-v3-grpc-forwarder
${indent(parts.sender ?? '', 6)}
`;
}

function indent(lines: string, width: number): string {
  return lines
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(width) + line))
    .join('\n');
}
