/** Options of the gRPC server. */
import { z } from 'zod';
import {
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
  accept_limit: groupOption({
    cpu_utilization: numberOption({
      default: 75,
      min: 0,
      unit: 'percent',
      doc: 'New connections are refused while this process uses more of the CPU it can have, averaged over 5 s. 100 and above: no limit. Open connections are never cut.',
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
    const message = 'expected host:port, [IPv6]:port or :port';
    context.addIssue({ code: 'custom', path: ['address'], message });
  }
  // One file without the other would serve plain text where its writer expects TLS.
  if ((config.tls_cert_file === '') !== (config.tls_key_file === '')) {
    const missing = config.tls_cert_file === '' ? 'tls_cert_file' : 'tls_key_file';
    context.addIssue({ code: 'custom', path: [missing], message: 'TLS needs both tls_cert_file and tls_key_file' });
  }
});

export type GrpcServerConfig = z.infer<typeof schema>;
