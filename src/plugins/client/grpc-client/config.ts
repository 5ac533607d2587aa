import { z } from 'zod';
import { FINDER_OPTIONS, parseServerList } from '../../../core/balance/index.js';
import {
  booleanOption,
  durationOption,
  enumOption,
  groupOption,
  integerOption,
  sizeOption,
  stringOption,
} from '../../../core/options.js';
import type { OptionsSchema } from '../../../core/options.js';

/** What gRPC allows in metadata: backends drop a field with anything else, or the connection that brings it. */
const HEADER_VALUE = /^[ -~]*$/;

const OPTIONS = {
  ...FINDER_OPTIONS,
  enable_tls: booleanOption({
    doc: 'Speak TLS with the backends. The files below are read only when this is on, and again when they change: new connections use them.',
    default: false,
  }),
  client_pem_path: stringOption({
    doc: 'Certificate (PEM) with which Satellite shows itself to the backends; used together with client_key_path. A missing client.pem counts as not set.',
    default: '',
  }),
  client_key_path: stringOption({
    doc: 'Private key (PEM) of client_pem_path. A missing client.key counts as not set.',
    default: '',
  }),
  ca_pem_path: stringOption({
    doc: "Certificates (PEM) of the authorities that backends are checked against; without one the system's are used. A missing ca.pem counts as not set.",
    default: '',
  }),
  insecure_skip_verify: booleanOption({
    doc: "Do not check the backends' certificates: anybody between can read along. Switch it off wherever certificates are in order.",
    default: true,
  }),
  tls_server_name: stringOption({
    doc: 'Name that the certificates of all backends must carry, and that is asked for (SNI); without it the configured host name. Set it when backends are listed by address.',
    default: '',
    ours: true,
  }),
  authentication: stringOption({
    doc: 'Token sent with every call in the header `authentication`; it must be the one in SW_AUTHENTICATION of OAP. White space around it, the line end of a mounted secret perhaps, is not part of it.',
    default: '',
    isSecret: true,
  }),
  timeout: groupOption({
    unary: durationOption({
      doc: 'Deadline of a unary call, a synchronous relay with no deadline of its own included.',
      unit: 's',
      default: '5s',
      min: 1,
    }),
    stream: durationOption({
      doc: 'Longest wait for the answer to a stream after its last byte was sent; the batch then goes to another backend.',
      unit: 's',
      default: '20s',
      min: 1,
    }),
  }),
  connections_per_endpoint: integerOption({
    doc: 'Connections kept to each address; more are opened by themselves where the backend allows too few calls on one. Raise it when one address (a virtual IP) stands for several backends.',
    default: 1,
    min: 1,
    max: 32,
    ours: true,
  }),
  max_connection_age: durationOption({
    doc: 'Age at which a connection is replaced, give or take a tenth; 0 is never. Set it (to minutes) when a load balancer stands between, which spreads only new connections.',
    unit: 's',
    default: 0,
    min: 0,
    ours: true,
  }),
  connect_timeout: durationOption({
    doc: 'Longest time to connect, TLS included.',
    unit: 's',
    default: '5s',
    min: 1,
    ours: true,
  }),
  keepalive_time: durationOption({
    doc: 'Send an HTTP/2 PING after this time without news; 0 is never. OAP takes pings more often than every 5 minutes for an attack, so set 5m or more, and only where something between drops idle connections.',
    unit: 's',
    default: 0,
    min: 0,
    ours: true,
  }),
  keepalive_timeout: durationOption({
    doc: 'Longest wait for the answer to such a PING before the connection is given up.',
    unit: 's',
    default: '20s',
    min: 1,
    ours: true,
  }),
  max_recv_msg_size: sizeOption({
    doc: 'Largest message taken from a backend. Raise it if answers to relayed calls grow beyond it.',
    default: '4MiB',
    min: 1,
    ours: true,
  }),
};

function withFinders(names: readonly [string, ...string[]]) {
  const finderType = enumOption(names, { doc: 'How the backends are found.', default: names[0] });
  return z.object({ finder_type: finderType, ...OPTIONS }).superRefine((config, context) => {
    for (const message of parseServerList(config.server_addr).problems) {
      context.addIssue({ code: 'custom', path: ['server_addr'], message });
    }
    if (!HEADER_VALUE.test(config.authentication.trim())) {
      const message = 'a header can carry printable ASCII characters only';
      context.addIssue({ code: 'custom', path: ['authentication'], message });
    }
  });
}

export type GrpcClientConfig = z.output<ReturnType<typeof withFinders>>;

/** The options, with a finder of these names to choose; the first is the default. */
export function createSchema(finderNames: readonly [string, ...string[]]): OptionsSchema<GrpcClientConfig> {
  return withFinders(finderNames);
}
