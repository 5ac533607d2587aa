/** Schemas of the fixed sections that belong to the process as a whole. */
import { z } from 'zod';
import { enumOption, groupOption, integerOption, listOption, stringOption } from '../../core/options.js';

export const LEVELS: readonly string[] = ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'];
export const DEFAULT_LEVEL = 'info';

/** Beside the metrics on the exporter's port. */
export const HEALTH_PATHS = { live: '/live', ready: '/ready' } as const;

export const loggerSchema = z.object({
  log_pattern: stringOption({
    doc: 'Form of a log line; %time, %level, %field and %msg are filled in. Not used with `format: json`.',
    default: '%time [%level][%field] - %msg',
  }),
  time_pattern: stringOption({
    doc: "Form of %time, written with Go's reference time (2006-01-02 15:04:05.000).",
    default: '2006-01-02 15:04:05.000',
  }),
  level: stringOption({ doc: `Least level that is written: ${LEVELS.join(', ')}.`, default: DEFAULT_LEVEL }),
  format: enumOption(['pattern', 'json'], {
    doc: 'Lines by `log_pattern`, or one JSON object a line for log collectors.',
    default: 'pattern',
    ours: true,
  }),
});

export const telemetrySchema = z.object({
  cluster: stringOption({ doc: 'Constant label `cluster` of every metric; empty: none.', default: 'default_cluster' }),
  service: stringOption({ doc: 'Constant label `service` of every metric; empty: none.', default: 'default_service' }),
  instance: stringOption({
    doc: 'Constant label `instance` of every metric; empty: none. Give each replica its own.',
    default: 'default_instance',
  }),
  export_type: listOption({ doc: 'Exporters that run, with commas between them.', default: ['prometheus'] }),
  prometheus: groupOption({
    address: stringOption({ doc: 'Where the Prometheus exporter listens.', default: ':1234' }),
    endpoint: stringOption({
      doc: `Its path; not ${HEALTH_PATHS.live} or ${HEALTH_PATHS.ready}, which tell of health.`,
      default: '/metrics',
    }),
  }),
  metrics_service: groupOption({
    client_name: stringOption({ doc: 'Shared client that takes the metrics to OAP.', default: 'grpc-client' }),
    interval: integerOption({ doc: 'Time between two reports.', default: 10, unit: 's' }),
    metric_prefix: stringOption({ doc: 'Put before every metric name.', default: 'sw_stl_' }),
  }),
  pprof: groupOption({ address: stringOption({ doc: 'Where the profiling exporter listens.', default: ':6060' }) }),
});

export const resourcesSchema = z.object({
  memory_limit: stringOption({
    doc: 'Most memory for data on its way (reassembly, windows, queues, batches): a size, or a share of the container limit or else of the machine.',
    default: '40%',
    ours: true,
  }),
});

export const sharingCommonSchema = z.object({
  pipe_name: stringOption({ doc: 'Name under which shared plugins appear in the log.', default: 'sharing' }),
});

export const pipeCommonSchema = z.object({
  pipe_name: stringOption({ doc: 'Name of the pipe in metrics and logs; unique, required.', default: '' }),
});
