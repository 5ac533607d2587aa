/** Options of the gRPC server. */
import { z } from 'zod';
import {
  durationOption,
  enumOption,
  groupOption,
  integerOption,
  numberOption,
  sizeOption,
  stringOption,
} from '../../../core/options.js';
import { parseAddress } from '../../../net/socket/index.js';

const shape = {
  address: stringOption({
    default: ':11800',
    doc: 'Where to listen: host:port, [IPv6]:port, or :port for all interfaces and both IP versions. With the network unix: the path of the socket.',
  }),
  network: enumOption(['tcp', 'tcp4', 'tcp6', 'unix'], {
    default: 'tcp',
    doc: 'Kind of address: tcp, tcp4 or tcp6 to listen for one IP version only, or unix for a socket file.',
  }),
  max_recv_msg_size: sizeOption({
    default: '50MiB',
    min: 1,
    max: 0x7fffffff,
    doc: 'Largest message taken, compressed and inflated alike; a larger one ends its call with RESOURCE_EXHAUSTED before it is read. The original allows 2 MiB, less than a backend does.',
  }),
  max_concurrent_streams: integerOption({
    default: 32,
    min: 1,
    max: 0x7fffffff,
    doc: 'Calls that one connection may have open at a time. An agent needs about ten, an Envoy two; raise it for proxies that put many sources on one connection.',
  }),
  tls_cert_file: stringOption({
    default: '',
    doc: 'PEM file with the certificate chain. Together with tls_key_file it switches TLS on.',
  }),
  tls_key_file: stringOption({
    default: '',
    doc: 'PEM file with the private key of the certificate.',
  }),
  tls_ca_file: stringOption({
    default: '',
    doc: 'PEM file with the authorities of client certificates. Set, it makes the server ask for one. All TLS files are read again when they change; open connections stay.',
    ours: true,
  }),
  tls_client_auth: enumOption(['required', 'optional'], {
    default: 'required',
    doc: 'Whether a client must show a certificate when tls_ca_file is set. One that shows a certificate which does not pass is refused in any case.',
    ours: true,
  }),
  max_connection_age: durationOption({
    default: 0,
    min: 0,
    unit: 's',
    doc: 'Age, give or take a tenth, at which a connection is asked to end (GOAWAY) and its calls end at a message boundary; 0 is never. Set it (to minutes) when replicas are added by load, for old connections do not move by themselves.',
    ours: true,
  }),
  max_connection_age_grace: durationOption({
    default: '30s',
    min: 0,
    unit: 's',
    doc: 'Calls still open so long after max_connection_age are cut off; 0 is never.',
    ours: true,
  }),
  max_connection_idle: durationOption({
    default: 0,
    min: 0,
    unit: 's',
    doc: 'A connection without a call and without data for so long is ended; 0 is never.',
    ours: true,
  }),
  keepalive_time: durationOption({
    default: 0,
    min: 0,
    unit: 's',
    doc: 'Send an HTTP/2 PING to clients that sent nothing for so long; 0 is never. TCP keepalive finds vanished clients too, unless a proxy stands between.',
    ours: true,
  }),
  keepalive_timeout: durationOption({
    default: '20s',
    min: 1,
    unit: 's',
    doc: 'Longest wait for the answer to such a PING before the connection is given up.',
    ours: true,
  }),
  accept_limit: groupOption({
    cpu_utilization: numberOption({
      default: 75,
      min: 0,
      unit: 'percent',
      doc: 'New connections are refused while this process is busier than that, in two readings in a row of 5 s or more each: by its CPU (of its container’s quota, or of the machine) or by its event loop, whichever is more. They are taken again below nine tenths of it. 100 and above: no limit. Open connections are never cut.',
    }),
    connection_count: integerOption({
      default: 4000,
      min: 0,
      doc: 'New connections are refused while so many are open.',
    }),
  }),
};

export const schema = z.object(shape).superRefine((config, context) => {
  if (parseAddress(config.address, config.network) === null) {
    const isPath = config.network === 'unix';
    const message = isPath ? 'expected a path of at most 107 bytes' : 'expected host:port, [IPv6]:port or :port';
    context.addIssue({ code: 'custom', path: ['address'], message });
  }
  // One file without the other would serve plain text where its writer expects TLS.
  if ((config.tls_cert_file === '') !== (config.tls_key_file === '')) {
    const missing = config.tls_cert_file === '' ? 'tls_cert_file' : 'tls_key_file';
    context.addIssue({ code: 'custom', path: [missing], message: 'TLS needs both tls_cert_file and tls_key_file' });
  }
  if (config.tls_ca_file !== '' && config.tls_cert_file === '') {
    const message = 'client certificates need TLS: tls_cert_file and tls_key_file';
    context.addIssue({ code: 'custom', path: ['tls_ca_file'], message });
  }
});

export type GrpcServerConfig = z.infer<typeof schema>;
