/** Error kinds of sockets. */
import type { ErrorKind } from '../../base/index.js';

export const NET_ERRORS = {
  LISTEN: {
    code: 'SAT_NET_LISTEN',
    scope: 'process',
    origin: 'user',
    disposition: 'fatal',
    doc: 'The address cannot be listened on: it is taken, not ours, or needs rights that the process lacks.',
  },
  UNREACHABLE: {
    code: 'SAT_NET_UNREACHABLE',
    scope: 'endpoint',
    origin: 'remote',
    disposition: 'retry',
    doc: 'Nobody answers at the address: refused, no route, or no listener at the socket path. It is tried again with back-off.',
  },
  NAME: {
    code: 'SAT_NET_NAME',
    scope: 'endpoint',
    origin: 'user',
    disposition: 'retry',
    doc: 'The host name cannot be resolved. Check its spelling and the DNS server.',
  },
  TIMEOUT: {
    code: 'SAT_NET_TIMEOUT',
    scope: 'connection',
    origin: 'remote',
    disposition: 'retry',
    doc: 'The peer did not answer in time while connecting, or fell silent later (keepalive).',
  },
  LOST: {
    code: 'SAT_NET_LOST',
    scope: 'connection',
    origin: 'remote',
    disposition: 'retry',
    doc: 'The connection broke: reset by the peer or by the network in between.',
  },
  TLS: {
    code: 'SAT_NET_TLS',
    scope: 'endpoint',
    origin: 'user',
    disposition: 'retry',
    doc: 'The TLS handshake failed: certificate, authority, name or protocol do not fit. Compare both sides’ TLS options.',
  },
  RESOURCES: {
    code: 'SAT_NET_RESOURCES',
    scope: 'process',
    origin: 'system',
    disposition: 'retry',
    doc: 'The operating system has no file descriptors or memory left for another socket. Raise the limit (ulimit -n).',
  },
  CLOSED: {
    code: 'SAT_NET_CLOSED',
    scope: 'connection',
    origin: 'local',
    disposition: 'retry',
    doc: 'We closed the connection; the text says why.',
  },
} as const satisfies Record<string, ErrorKind>;
